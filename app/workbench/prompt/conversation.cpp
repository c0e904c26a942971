// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/prompt/conversation.h"

#include <vector>

namespace headscope::app {

std::optional<int> endOfTurn(const text::ChatTemplate& chat, const text::Tokenizer& tokenizer,
                             std::span<const text::ChatMessage> turns)
{
    const std::string answer = "headscope"; // any word that no template writes
    std::vector<text::ChatMessage> all(turns.begin(), turns.end());
    if (!all.empty() && all.back().role == "assistant")
        all.pop_back();
    all.push_back({"assistant", answer});
    const auto text = chat.render(all, {.addGenerationPrompt = false});
    const std::size_t at = text.has_value() ? text->rfind(answer) : std::string::npos;
    if (at == std::string::npos)
        return std::nullopt;
    const auto behind = tokenizer.encode(text->substr(at + answer.size()), false);
    if (!behind.has_value() || behind->ids.empty())
        return std::nullopt;
    const auto written = tokenizer.decode(std::span(behind->ids).first(1), true);
    const bool special = written.has_value() && written->empty();
    return special ? std::optional(behind->ids.front()) : std::nullopt;
}

} // namespace headscope::app
