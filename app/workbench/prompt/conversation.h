// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The token that ends a turn of a conversation. Any thread.

#include "core/text/chattemplate.h"
#include "core/text/tokenizer.h"

#include <optional>
#include <span>

namespace headscope::app {

/// Returns the special token that the template writes after an answer at this place of the conversation: config.json of
/// some models names only the token that ends a text. None if the template writes no such token.
[[nodiscard]] std::optional<int> endOfTurn(const text::ChatTemplate& chat, const text::Tokenizer& tokenizer,
                                           std::span<const text::ChatMessage> turns);

} // namespace headscope::app
