// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/prompt/writtenpairs.h"

#include "app/workbench/prompt/prompt.h"
#include "core/why/paths/patching.h"

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

/// What is wrong with a pair, before any of them is run.
Result<void> read(const OpenModel& open, const engine::WrittenPair& written, engine::PromptPair& pair)
{
    for (const auto& done : {read(open, written.clean, pair.clean), read(open, written.corrupt, pair.corrupt),
                             read(open, written.answer, pair.answer), read(open, written.distractor, pair.distractor)})
        if (!done.has_value())
            return done;
    if (const auto alike = why::checkLengths(std::ssize(pair.clean), std::ssize(pair.corrupt)); !alike.has_value())
        return alike;
    if (pair.answer && pair.answer == pair.distractor)
        return inputError("Answer and distractor are the same token; expected two different ones.");
    return {};
}

} // namespace

Result<std::vector<engine::PromptPair>>
encodePairs(const OpenModel& open, const std::vector<engine::WrittenPair>& written, const std::string& source)
{
    std::vector<engine::PromptPair> pairs;
    for (const engine::WrittenPair& one : written) {
        engine::PromptPair pair{.source = written.size() == 1 ? source
                                                              : source + ", pair " + std::to_string(pairs.size() + 1)};
        if (const auto done = read(open, one, pair); !done.has_value()) {
            Error error = done.error();
            if (written.size() > 1) // which of them
                error.message = pair.source + ": " + error.message;
            return error;
        }
        pairs.push_back(std::move(pair));
    }
    return pairs;
}

} // namespace headscope::app
