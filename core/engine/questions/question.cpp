// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/question.h"

#include "core/tasks/exchange.h"
#include "core/text/writtentext.h"

#include <limits>

namespace headscope::engine {

namespace {

// Of an encoded example its ids and the token of each choice, where all choices are one token behind the same ids.
Result<Question> read(const EncodedExample& encoded, int gold, const std::string& source)
{
    if (!encoded.rejected.empty())
        return inputError("A question can not be made of " + source + ": " + encoded.rejected);
    const bool oneToken =
        encoded.sequences.size() == 1 && static_cast<int>(encoded.sequences.front().targets.size()) == encoded.choices;
    if (!oneToken || gold < 0)
        return inputError("The answer of " + source
                          + " is more than one token; expected a task whose answers are one token, or a prompt with "
                            "--answer and --distractor.");
    const Sequence& sequence = encoded.sequences.front();
    Question question{.source = source, .ids = sequence.ids};
    for (const Sequence::Target& target : sequence.targets)
        if (target.choice == gold)
            question.answer = target.token;
    for (const Sequence::Target& target : sequence.targets)
        if (target.token != *question.answer)
            question.wrong.push_back(target.token);
    return question;
}

} // namespace

Result<Question> questionOf(const tasks::TaskSet& set, int sample, const Reader& reader)
{
    if (sample < 0 || sample >= static_cast<int>(set.examples.size()))
        return inputError("Task '" + set.name + "' has no sample " + std::to_string(sample) + "; expected 0 to "
                          + std::to_string(set.examples.size() - 1) + ".");
    return questionOf(set, sample, tasks::withChoices(set.examples[static_cast<std::size_t>(sample)]), reader);
}

Result<Question> questionOf(const tasks::TaskSet& set, int sample, const tasks::Example& example, const Reader& reader)
{
    const std::string source = example.task + ", sample " + std::to_string(sample);
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
    const auto encoding = tokenizer.encode(text, false);
    if (!encoding.has_value())
        return encoding.error();
    if (encoding->ids.size() != 1)
        return inputError("'" + text + "' is " + std::to_string(encoding->ids.size())
                          + " tokens; expected a text of one token, with the blank before it where the model's words "
                            "have one.");
    return encoding->ids.front();
}

std::string tokenText(const text::Tokenizer& tokenizer, int id)
{
    const auto written = tokenizer.decode(std::vector<int>{id});
    if (written.has_value() && !written->empty())
        return text::withEscapedBytes(*written);
    return tokenizer.tokenOf(id).value_or("[" + std::to_string(id) + "]");
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
