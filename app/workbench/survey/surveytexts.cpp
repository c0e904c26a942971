// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/survey/surveytexts.h"

#include "app/workbench/prompt/prompt.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace headscope::app {

namespace {

// The start token of texts of one's own, as the settings have it; before a task's prompts too, so that all windows of a
// survey are alike.
std::optional<int> beginningOf(const OpenModel& open)
{
    const engine::BosPolicy policy = startOf(open.startToken, PromptOrigin::OwnText);
    const auto bos = open.tokenizer->bosId();
    if (policy == engine::BosPolicy::Never || !bos)
        return std::nullopt;
    const auto encoding = open.tokenizer->encode("", true);
    const bool own = encoding.has_value() && !encoding->ids.empty() && encoding->ids.front() == *bos;
    return own || policy == engine::BosPolicy::Always ? bos : std::nullopt;
}

std::string sourceOf(const SurveyRequest& request, const survey::TextSource& source)
{
    std::string text;
    const auto add = [&text](const std::string& name) { text += (text.empty() ? "" : ", ") + name; };
    for (const auto& path : request.texts)
        add((path.has_filename() ? path : path.parent_path()).filename().string());
    for (const std::string& task : request.tasks)
        add(task);
    return text + " (" + std::to_string(source.bytes()) + " bytes)";
}

Result<VocabularyShare> vocabularyOf(survey::Windows windows)
{
    constexpr int kFirst = 64; // windows
    for (int i = 0; i < kFirst; ++i) {
        const auto window = windows.next();
        if (!window.has_value())
            return window.error();
        if (!window->has_value())
            break;
    }
    const survey::WindowCounts& counts = windows.position().counts;
    if (counts.windows == 0)
        return inputError("Every text is shorter than " + std::to_string(survey::kFewestTokens)
                          + " tokens; words outside the vocabulary do not count.");
    return VocabularyShare{counts.tokens + counts.leftOut, counts.unknown + counts.leftOut};
}

} // namespace

Result<std::vector<survey::GivenText>> textsOf(const std::string& task, const tasks::TaskOptions& options,
                                               const text::Tokenizer& tokenizer)
{
    const auto set = tasks::makeTask(task, options, tokenizer);
    if (!set.has_value())
        return set.error();
    std::vector<survey::GivenText> texts;
    for (int i = 0; i < static_cast<int>(set->examples.size()); ++i) {
        const auto prompt = promptOf(*set, i);
        if (!prompt.has_value())
            return prompt.error();
        survey::GivenText text{prompt->source, prompt->text + prompt->answer, {}};
        // As the scores of one prompt have them: pieces of a group together, without what asks.
        std::map<int, survey::ByteRange> groups;
        for (const tasks::Segment& segment : prompt->segments) {
            if (segment.role == Role::Query || segment.role == Role::Question || segment.role == Role::Answer)
                continue;
            const auto [it, fresh] = groups.try_emplace(segment.group, segment.begin, segment.end);
            it->second = {std::min(it->second.first, segment.begin), std::max(it->second.second, segment.end)};
        }
        for (const auto& [group, range] : groups)
            text.segments.push_back(range);
        std::sort(text.segments.begin(), text.segments.end(),
                  [](const auto& a, const auto& b) { return a.second < b.second; });
        texts.push_back(std::move(text));
    }
    return texts;
}

Result<SurveyTexts> openTexts(const OpenModel& open, const SurveyRequest& request, const Control& control)
{
    std::vector<survey::GivenText> given;
    for (const std::string& task : request.tasks) {
        auto texts = textsOf(task, request.taskOptions, *open.tokenizer);
        if (!texts.has_value())
            return texts.error();
        given.insert(given.end(), std::make_move_iterator(texts->begin()), std::make_move_iterator(texts->end()));
    }
    auto read = survey::TextSource::open(request.texts, std::move(given), control);
    if (!read.has_value())
        return read.error();
    const auto source = std::make_shared<const survey::TextSource>(std::move(*read));
    survey::Windows windows(source, open.tokenizer,
                            {.length = request.window,
                             .tokens = request.tokens,
                             .seed = request.seed,
                             .start = beginningOf(open),
                             .unknown = survey::unknownToken(*open.tokenizer)});
    const auto vocabulary = vocabularyOf(windows);
    if (!vocabulary.has_value())
        return vocabulary.error();
    return SurveyTexts{std::move(windows), sourceOf(request, *source), source->hash(), *vocabulary};
}

} // namespace headscope::app
