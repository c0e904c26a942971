// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/writtenpairs.h"

#include "app/workbench/prompt.h"

namespace headscope::app {

namespace {

Result<void> read(const OpenModel& open, const std::string& text, std::vector<int>& ids)
{
    auto encoding = encodePrompt(open, text, PromptOrigin::OwnText);
    if (!encoding.has_value())
        return encoding.error();
    ids = std::move(encoding->ids);
    return {};
}

Result<void> read(const OpenModel& open, const std::optional<std::string>& text, std::optional<int>& id)
{
    if (!text || text->empty())
        return {};
    const auto token = engine::singleToken(*open.tokenizer, *text);
    if (!token.has_value())
        return token.error();
    id = *token;
    return {};
}

} // namespace

Result<std::vector<engine::PromptPair>>
encodePairs(const OpenModel& open, const std::vector<engine::WrittenPair>& written, const std::string& source)
{
    std::vector<engine::PromptPair> pairs;
    for (const engine::WrittenPair& one : written) {
        engine::PromptPair pair{.source =
                                    written.size() == 1 ? source : source + ", pair " + std::to_string(pairs.size())};
        for (const auto& done : {read(open, one.clean, pair.clean), read(open, one.corrupt, pair.corrupt),
                                 read(open, one.answer, pair.answer), read(open, one.distractor, pair.distractor)})
            if (!done.has_value())
                return done.error();
        pairs.push_back(std::move(pair));
    }
    return pairs;
}

} // namespace headscope::app
