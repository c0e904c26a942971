// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/prompt/prompt.h"

#include "core/base/samplesource.h"
#include "core/tasks/ownmodels.h"

#include <algorithm>

namespace headscope::app {

namespace {

constexpr const char* kBlanks = " \t\n\r\f\v";

} // namespace

engine::BosPolicy startOf(StartToken token, PromptOrigin origin)
{
    if (origin == PromptOrigin::Conversation)
        return engine::BosPolicy::Never;
    switch (token) {
    case StartToken::Never: return engine::BosPolicy::Never;
    case StartToken::AsTokenizer: return engine::BosPolicy::TokenizerDefault;
    case StartToken::Always: return engine::BosPolicy::Always;
    case StartToken::Automatic: break;
    }
    return origin == PromptOrigin::OwnText ? engine::BosPolicy::TokenizerDefault : engine::BosPolicy::Never;
}

PromptOrigin originOf(const tasks::TaskSet& set, int sample)
{
    switch (set.leafOf(static_cast<std::size_t>(sample)).pairing) {
    case tasks::PairEncoding::KvRetrieval: return PromptOrigin::KvRetrievalRow;
    case tasks::PairEncoding::ModelStart: return PromptOrigin::GeneratedRow;
    case tasks::PairEncoding::Harness: break;
    }
    return PromptOrigin::TaskRow;
}

Result<TaskPrompt> promptOf(const tasks::TaskSet& set, int sample)
{
    if (sample < 0 || sample >= static_cast<int>(set.examples.size()))
        return inputError("Task '" + set.name + "' has no sample " + std::to_string(sample) + "; expected 0 to "
                          + std::to_string(set.examples.size() - 1) + ".");
    const tasks::Example& example = set.examples[static_cast<std::size_t>(sample)];
    const auto right = static_cast<std::size_t>(std::max(example.gold, 0));
    TaskPrompt prompt{.text = right < example.contexts.size() ? example.contexts[right] : example.context,
                      .source = sampleSource(example.task, sample),
                      .segments = example.segments,
                      .answer = right < example.continuations.size() ? example.continuations[right] : example.target,
                      .origin = originOf(set, sample)};
    const std::size_t end = prompt.text.find_last_not_of(kBlanks) + 1;
    prompt.answer.insert(0, prompt.text, end);
    prompt.text.erase(end);
    return prompt;
}

Result<text::Encoding> encodePrompt(const OpenModel& open, const std::string& text, PromptOrigin origin)
{
    return encodePrompt(*open.tokenizer, open.startToken, text, origin);
}

Result<text::Encoding> encodePrompt(const text::Tokenizer& tokenizer, StartToken token, const std::string& text,
                                    PromptOrigin origin)
{
    const engine::BosPolicy start = startOf(token, origin);
    if (origin != PromptOrigin::GeneratedRow)
        return engine::encodeText(text,
                                  origin == PromptOrigin::KvRetrievalRow ? tasks::PairEncoding::KvRetrieval
                                                                         : tasks::PairEncoding::Harness,
                                  tokenizer, start);
    // A sample that is shown beside a model of ours has its start token written out, which others do not read.
    const bool own = tasks::ownModelOf(tokenizer) != tasks::OwnModel::None;
    const std::size_t left = own ? 0 : text.size() - tasks::withoutStart(text).size();
    auto encoding = engine::encodeText(text.substr(left), tasks::PairEncoding::ModelStart, tokenizer, start);
    if (encoding.has_value())
        for (auto& [begin, end] : encoding->offsets)
            if (end > begin) {
                begin += left;
                end += left;
            }
    return encoding;
}

} // namespace headscope::app
