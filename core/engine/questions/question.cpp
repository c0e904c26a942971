// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/question.h"

#include "core/base/samplesource.h"
#include "core/tasks/exchange.h"
#include "core/text/writtentext.h"

#include <limits>

namespace headscope::engine {

namespace {

/// Of each choice the prompt's ids and its own tokens.
struct EncodedChoice {
    std::span<const int> prompt;
    std::vector<int> tokens;
};

std::vector<EncodedChoice> choicesOf(const EncodedExample& encoded)
{
    std::vector<EncodedChoice> choices(static_cast<std::size_t>(encoded.choices));
    for (const Sequence& sequence : encoded.sequences)
        for (const Sequence::Target& target : sequence.targets) {
            EncodedChoice& choice = choices[static_cast<std::size_t>(target.choice)];
            if (choice.tokens.empty())
                choice.prompt = std::span(sequence.ids).first(static_cast<std::size_t>(target.position) + 1);
            choice.tokens.push_back(target.token);
        }
    return choices;
}

// Of an encoded example its prompt and the token in which the right choice parts from others.
Result<Question> read(const EncodedExample& encoded, int gold, const std::string& source)
{
    if (!encoded.rejected.empty())
        return inputError("A question cannot be made of " + source + ": " + encoded.rejected);
    const std::vector<EncodedChoice> choices = choicesOf(encoded);
    if (gold < 0 || gold >= static_cast<int>(choices.size()) || choices[static_cast<std::size_t>(gold)].tokens.empty())
        return inputError(source
                          + " names no right answer; expected a task with choices, or a prompt with --answer and "
                            "--distractor.");
    const EncodedChoice& right = choices[static_cast<std::size_t>(gold)];
    std::optional<int> shared; // by the answer and the choice that parts from it first
    for (const EncodedChoice& choice : choices) {
        if (!std::ranges::equal(choice.prompt, right.prompt))
            return inputError("The choices of " + source
                              + " follow different prompts; expected a task of one prompt with several answers.");
        if (const auto alike = partingToken(right.tokens, choice.tokens))
            shared = std::min(shared.value_or(*alike), *alike);
    }
    Question question{.source = source, .answerTokens = right.tokens, .shared = shared.value_or(0)};
    const auto at = static_cast<std::size_t>(question.shared);
    question.ids.assign(right.prompt.begin(), right.prompt.end());
    question.ids.insert(question.ids.end(), right.tokens.begin(), right.tokens.begin() + question.shared);
    question.answer = right.tokens[at];
    for (const EncodedChoice& choice : choices)
        if (partingToken(right.tokens, choice.tokens) == question.shared)
            question.wrong.push_back(choice.tokens[at]);
    if (right.tokens.size() > 1)
        question.source += ", token " + std::to_string(question.shared + 1) + " of the answer's "
                           + std::to_string(right.tokens.size());
    return question;
}

} // namespace

std::optional<int> partingToken(std::span<const int> a, std::span<const int> b)
{
    const auto [mine, other] = std::ranges::mismatch(a, b);
    if (mine == a.end() || other == b.end())
        return std::nullopt;
    return static_cast<int>(mine - a.begin());
}

Result<Question> questionOf(const tasks::TaskSet& set, int sample, const Reader& reader)
{
    if (sample < 0 || sample >= static_cast<int>(set.examples.size()))
        return inputError("Task '" + set.name + "' has no sample " + std::to_string(sample) + "; expected 0 to "
                          + std::to_string(set.examples.size() - 1) + ".");
    return questionOf(set, sample, tasks::withChoices(set.examples[static_cast<std::size_t>(sample)]), reader);
}

Result<Question> questionOf(const tasks::TaskSet& set, int sample, const tasks::Example& example, const Reader& reader)
{
    const std::string source = sampleSource(example.task, sample);
    if (example.scoring == tasks::Scoring::Generation)
        return inputError("The answer of " + source
                          + " is a text that is generated; expected a task with choices, or a prompt with --answer and "
                            "--distractor.");
    const int longest = reader.maxLength > 0 ? reader.maxLength : std::numeric_limits<int>::max();
    return read(
        encode(example, set.leafOf(static_cast<std::size_t>(sample)).pairing, reader.tokenizer, reader.bos, longest),
        example.gold, source);
}

Result<int> singleToken(const text::Tokenizer& tokenizer, const std::string& text)
{
    constexpr std::string_view kBlank = "\u2581"; // where a blank would end what is read, as in steer:L2=jlens:▁Paris
    const std::string plain = text.starts_with(kBlank) ? " " + text.substr(kBlank.size()) : text;
    const auto encoding = tokenizer.encode(plain, false);
    if (!encoding.has_value())
        return encoding.error();
    if (encoding->ids.size() != 1) {
        if (const auto id = // as tokenText() writes it
            tokenizer.idOf(plain.starts_with(' ') ? std::string(kBlank) + plain.substr(1) : plain))
            return *id;
        return inputError("'" + text + "' is " + std::to_string(encoding->ids.size())
                          + " tokens; expected a text of one token. Where the model's words begin with a blank, write "
                            "it, or \u2581 in its place.");
    }
    return encoding->ids.front();
}

std::string tokenText(const text::Tokenizer& tokenizer, int id)
{
    return text::writtenText(tokenizer, id);
}

std::string promptText(const text::Tokenizer& tokenizer, const std::vector<int>& ids)
{
    const auto text = tokenizer.decode(ids);
    return text.has_value() ? *text : std::string();
}

Result<why::Metric> metricOf(const Question& question, const why::Recording& run, const lm::Model& model)
{
    for (const int token : question.wrong)
        if (const auto fits = why::check({token, token == 0 ? 1 : 0}, model); !fits.has_value())
            return fits.error();
    why::Metric metric;
    metric.answer = question.answer ? *question.answer : why::mostProbable(run, {}, -1);
    metric.distractor = why::mostProbable(run, question.wrong, metric.answer);
    if (metric.distractor < 0)
        return inputError("Answer and distractor are the same token; expected two different ones.");
    if (const auto fits = why::check(metric, model); !fits.has_value())
        return fits.error();
    return metric;
}

} // namespace headscope::engine
