// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Between the prompt as the engine knows it, in bytes of UTF-8, and as a text box knows it, in UTF-16 units. Pure
// functions; any thread.

#include "app/backend/values.h"
#include "core/interventions/intervention.h"
#include "widgets/prompt/promptbar.h"

#include <QString>

#include <optional>
#include <vector>

namespace headscope::gui {

/// UTF-16 units in front of each byte of a text, and of its end.
[[nodiscard]] std::vector<int> unitsBefore(const std::string& text);
/// Segments of the prompt for the text box.
[[nodiscard]] std::vector<widgets::TextSpan> textSpans(const app::Prompt& prompt);
/// Where tokens begin, in characters of the text box, rising; tokens without text are left out.
[[nodiscard]] std::vector<int> tokenStarts(const app::Prompt& prompt, const app::TokenizedPrompt& tokens);
/// The prompt after a person has written in it: a free text; segments outside the changed piece stay with their words.
[[nodiscard]] app::Prompt edited(const app::Prompt& before, const QString& text);
/// The end of the prompt, about `most` of its tokens with those that stand for no text: what it asks is there. A
/// free text; segments that are whole stay with their words.
[[nodiscard]] app::Prompt withoutBeginning(const app::Prompt& prompt, const app::TokenizedPrompt& tokens, int most);
/// The prompt with what a model wrote behind it: in a conversation the assistant's turn, or the rest of it.
[[nodiscard]] app::Prompt continued(const app::Prompt& prompt, const std::string& written);
/// The prompt with characters [begin, end) of the text box playing a role. Segments that they overlap give way.
[[nodiscard]] app::Prompt marked(const app::Prompt& prompt, Role role, int begin, int end);

/// The tokens that have a character of [begin, end) of the text box in them; nothing where none has.
[[nodiscard]] std::optional<interventions::PositionSpan>
tokensAt(const std::string& text, const app::TokenizedPrompt& tokens, int begin, int end);

} // namespace headscope::gui
