// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts between the engine's prompt, in bytes of UTF-8, and the text box, in UTF-16 units. Pure functions; any
// thread.

#include "app/backend/values.h"
#include "core/interventions/intervention.h"
#include "widgets/prompt/promptbar.h"

#include <QString>

#include <optional>
#include <vector>

namespace headscope::gui {

/// Returns the number of UTF-16 units before each byte of a text, and before its end.
[[nodiscard]] std::vector<int> unitsBefore(const std::string& text);
/// Returns the segments of the prompt for the text box.
[[nodiscard]] std::vector<widgets::TextSpan> textSpans(const app::Prompt& prompt);
/// Returns the starts of tokens in characters of the text box, ascending; tokens without text are left out.
[[nodiscard]] std::vector<int> tokenStarts(const app::Prompt& prompt, const app::TokenizedPrompt& tokens);
/// Returns the prompt after an edit by the user: a free text; segments outside the changed part move with it.
[[nodiscard]] app::Prompt edited(const app::Prompt& before, const QString& text);
/// Returns the end of the prompt, about `most` of its tokens including those without text, which contains its question.
/// A free text; complete segments move with their text.
[[nodiscard]] app::Prompt withoutBeginning(const app::Prompt& prompt, const app::TokenizedPrompt& tokens, int most);
/// Returns the prompt followed by a model's text: in a conversation the assistant's turn, or the rest of it.
[[nodiscard]] app::Prompt continued(const app::Prompt& prompt, const std::string& written);
/// Returns the prompt with a role for characters [begin, end) of the text box. Overlapping segments are removed.
[[nodiscard]] app::Prompt marked(const app::Prompt& prompt, Role role, int begin, int end);

/// Returns the tokens that overlap [begin, end) of the text box; nothing if there are none.
[[nodiscard]] std::optional<interventions::PositionSpan>
tokensAt(const std::string& text, const app::TokenizedPrompt& tokens, int begin, int end);

} // namespace headscope::gui
