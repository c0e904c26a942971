// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What ends a turn of a conversation. Any thread.

#include "core/text/chattemplate.h"
#include "core/text/tokenizer.h"

#include <optional>
#include <span>

namespace headscope::app {

/// The special token that the template writes behind an answer at this place of the conversation: config.json of
/// several models names only the one that ends a text. None where the template writes no such token.
[[nodiscard]] std::optional<int> endOfTurn(const text::ChatTemplate& chat, const text::Tokenizer& tokenizer,
                                           std::span<const text::ChatMessage> turns);

} // namespace headscope::app
