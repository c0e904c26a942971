// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/prompt.h"

#include <algorithm>

namespace headscope::app {

namespace {

constexpr const char* kBlanks = " \t\n\r\f\v";

} // namespace

engine::BosPolicy startOf(StartToken token, PromptOrigin origin)
{
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
    return set.leafOf(static_cast<std::size_t>(sample)).pairing == tasks::PairEncoding::KvRetrieval
               ? PromptOrigin::KvRetrievalRow
               : PromptOrigin::TaskRow;
}

Result<TaskPrompt> promptOf(const tasks::TaskSet& set, int sample)
{
    if (sample < 0 || sample >= static_cast<int>(set.examples.size()))
        return inputError("Task '" + set.name + "' has no sample " + std::to_string(sample) + "; expected 0 to "
                          + std::to_string(set.examples.size() - 1) + ".");
    const tasks::Example& example = set.examples[static_cast<std::size_t>(sample)];
    const auto right = static_cast<std::size_t>(std::max(example.gold, 0));
    TaskPrompt prompt{.text = right < example.contexts.size() ? example.contexts[right] : example.context,
                      .source = example.task + ", sample " + std::to_string(sample),
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
    auto encoding = tokenizer.encode(text, start != engine::BosPolicy::Never || origin == PromptOrigin::KvRetrievalRow);
    const auto bos = tokenizer.bosId();
    if (!encoding.has_value() || start != engine::BosPolicy::Always || !bos
        || (!encoding->ids.empty() && encoding->ids.front() == *bos))
        return encoding;
    encoding->ids.insert(encoding->ids.begin(), *bos);
    encoding->tokens.insert(encoding->tokens.begin(), tokenizer.tokenOf(*bos).value_or("<s>"));
    encoding->offsets.insert(encoding->offsets.begin(), {0, 0});
    return encoding;
}

} // namespace headscope::app
