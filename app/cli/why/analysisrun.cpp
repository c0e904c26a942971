// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/why/analysisrun.h"

#include "app/cli/options/commandline.h"
#include "app/cli/options/ranges.h"
#include "app/workbench/prompt/prompt.h"
#include "app/workbench/prompt/writtenpairs.h"
#include "core/base/foldernames.h"
#include "core/base/hash.h"
#include "core/interventions/positions.h"
#include "sessions/analyses.h"

namespace headscope::cli {

namespace {

Result<std::optional<int>> tokenOf(const OpenModel& open, const std::string& text)
{
    if (text.empty())
        return std::optional<int>();
    const auto token = engine::singleToken(*open.tokenizer, text);
    if (!token.has_value())
        return token.error();
    return std::optional(*token);
}

Result<std::vector<int>> idsOf(const OpenModel& open, const std::string& text)
{
    auto encoding = app::encodePrompt(open, text, app::PromptOrigin::OwnText);
    if (!encoding.has_value())
        return encoding.error();
    return std::move(encoding->ids);
}

// What a person named goes before what the task says.
Result<void> setAnswers(const QuestionArguments& arguments, const OpenModel& open, engine::Question& question)
{
    const auto answer = tokenOf(open, arguments.answer), distractor = tokenOf(open, arguments.distractor);
    for (const auto* token : {&answer, &distractor})
        if (!token->has_value())
            return token->error();
    if (*answer)
        question.answer = **answer;
    if (*distractor)
        question.wrong = {**distractor};
    if (*distractor && question.answer == *distractor)
        return inputError("Answer and distractor are the same token; expected two different ones.");
    return {};
}

Result<engine::PairsOfTask> writtenPairs(const PairArguments& arguments, const OpenModel& open)
{
    std::vector<engine::WrittenPair> written;
    if (arguments.clean) {
        written = {{*arguments.clean, *arguments.corrupt, {}, {}}};
    } else {
        auto read = engine::readPairs(arguments.file);
        if (!read.has_value())
            return read.error();
        written = std::move(*read);
    }
    const auto over = [](const std::string& named, std::optional<std::string>& own) {
        own = named.empty() ? own : named;
    };
    for (engine::WrittenPair& pair : written) { // what a person named goes before what the file says
        over(arguments.question.answer, pair.answer);
        over(arguments.question.distractor, pair.distractor);
    }
    auto pairs = app::encodePairs(open, written, arguments.clean ? "text" : arguments.file);
    if (!pairs.has_value())
        return pairs.error();
    return engine::PairsOfTask{.pairs = std::move(*pairs)};
}

} // namespace

engine::Reader readerOf(const OpenModel& open, const tasks::TaskSet& set)
{
    return {*open.tokenizer, app::startOf(open.startToken, app::originOf(set, 0))};
}

std::string Analysed::token(int id) const
{
    return engine::tokenText(*open.tokenizer, id);
}

std::vector<std::string> Analysed::tokens(const std::vector<int>& ids) const
{
    std::vector<std::string> texts;
    for (const int id : ids)
        texts.push_back(token(id));
    return texts;
}

std::string Analysed::provenance(const std::string& source) const
{
    return open.provenance() + ", " + source + ", "
           + (set.empty() ? "nothing ablated" : "ablated: " + ablationWithoutFolders(set.canonical()));
}

Result<void> Analysed::keep(const sessions::AnalysisRecord& record)
{
    if (!open.session)
        return {};
    if (const auto stored = open.remember(set); !stored.has_value())
        return stored;
    return sessions::putAnalysis(*open.session, record);
}

Result<void> Analysed::finish(const std::vector<std::string>& outputs, const AnalysisResult& result,
                              const sessions::AnalysisRecord& record)
{
    const auto written = writeAnalysis(outputs, result);
    return written.has_value() ? keep(record) : written;
}

Result<Analysed> openAnalysed(const Context& context, const ModelArguments& arguments,
                              const std::vector<std::string>& outputs)
{
    if (const auto known = checkAnalysisPaths(outputs); !known.has_value())
        return known.error();
    auto set = interventions::InterventionSet::parse(arguments.ablate);
    if (!set.has_value())
        return set.error();
    auto open = openModel(context, arguments, context.session);
    if (!open.has_value())
        return open.error();
    auto base = lm::resolve(*set, open->spec(), open->donors);
    if (!base.has_value())
        return base.error();
    return Analysed{std::move(*open), std::move(*set), std::move(*base)};
}

void QuestionArguments::addTo(CLI::App& command, Context& context, const std::string& sampleNote,
                              ComparedTokens compared)
{
    CLI::Option* prompt = option(command, "--text", text);
    CLI::Option* rowsOf = option(command, "--task", task, "take the prompt from this task")->excludes(prompt);
    option(command, "--sample", sample, sampleNote)->needs(rowsOf)->check(kNotNegative);
    rows.addTo(command, context);
    if (compared != ComparedTokens::None)
        option(command, "--answer", answer);
    if (compared == ComparedTokens::AnswerAndDistractor)
        option(command, "--distractor", distractor);
}

Result<std::vector<engine::Question>> questionsOf(const Context& context, const QuestionArguments& arguments,
                                                  const Analysed& analysed)
{
    std::vector<engine::Question> questions;
    if (arguments.text) {
        auto ids = idsOf(analysed.open, *arguments.text);
        if (!ids.has_value())
            return ids.error();
        questions.push_back({.source = "text", .ids = std::move(*ids)});
    } else {
        const auto set = tasks::makeTask(arguments.task, arguments.rows.options(context), *analysed.open.tokenizer);
        if (!set.has_value())
            return set.error();
        const engine::Reader reader = readerOf(analysed.open, *set);
        const int all = static_cast<int>(set->examples.size());
        for (int i = arguments.sample.value_or(0); i < (arguments.sample ? *arguments.sample + 1 : all); ++i) {
            auto question = engine::questionOf(*set, i, reader);
            if (!question.has_value())
                return question.error();
            questions.push_back(std::move(*question));
        }
    }
    if (questions.empty())
        return inputError("The task '" + arguments.task + "' has no rows here; expected another --limit or --data.");
    if (questions.size() == 1) // rows of a task have many lengths
        if (const auto there =
                interventions::checkPositions(analysed.set, static_cast<int>(questions.front().ids.size()));
            !there.has_value())
            return there.error();
    for (engine::Question& question : questions)
        if (const auto set = setAnswers(arguments, analysed.open, question); !set.has_value())
            return set.error();
    return questions;
}

Result<engine::Question> questionOf(const Context& context, QuestionArguments arguments, const Analysed& analysed)
{
    if (!arguments.text && !arguments.sample)
        arguments.sample = 0;
    auto questions = questionsOf(context, arguments, analysed);
    if (!questions.has_value())
        return questions.error();
    return std::move(questions->front());
}

engine::OverPairs unmeasured(const std::vector<engine::PromptPair>& pairs, engine::PatchDirection direction)
{
    engine::OverPairs over{.direction = direction};
    over.metrics.resize(pairs.size());
    return over;
}

MeasurePieces sharedPairs(const Context& context, Analysed& analysed, const std::string& kind,
                          const std::string& question, const std::optional<app::WorkPart>& part)
{
    if (!analysed.open.store())
        return measureHere;
    return app::sharedPieces(sharingOf(context, analysed.open, part), app::workKey(analysed.asked(), kind, question));
}

Result<void> measurePairsPart(const Context& context, Analysed& analysed, const app::WorkPart& part,
                              const std::string& kind, const std::string& question, const PiecedWork& pairs)
{
    return measurePart(context, *analysed.open.store(), part,
                       {{sha256Hex(app::workKey(analysed.asked(), kind, question) + ' ' + std::to_string(part.count)),
                         kind.substr(0, kind.find(' ')) + " over " + std::to_string(pairs.count) + " pairs of "
                             + analysed.open.provenance(),
                         [&] {
                             const auto measured =
                                 sharedPairs(context, analysed, kind, question, part)(pairs, context.control());
                             return measured.has_value() ? Result<void>() : Result<void>(measured.error());
                         }}});
}

Result<void> endOf(std::size_t done, std::size_t asked, const std::string& what)
{
    if (done >= asked)
        return {};
    return Error{Error::Kind::Cancelled,
                 "Stopped by the user after " + std::to_string(done) + " of " + std::to_string(asked) + " " + what
                     + "; results are for these only.",
                 {}};
}

void QuestionArguments::require(const CLI::App& command)
{
    if (command.count("--text") + command.count("--task") == 0)
        throw CLI::RequiredError("--text or --task");
}

void PairArguments::addTo(CLI::App& command, Context& context)
{
    question.addTo(command, context, "this example of the task only (default: means over all, with intervals)");
    CLI::Option* second = option(command, "--corrupt", corrupt);
    CLI::Option* first = option(command, "--clean", clean)->needs(second);
    second->needs(first);
    CLI::Option* lines = option(command, "--pairs", file)->excludes(first);
    option(command, "--exchange", exchange)->needs(command.get_option("--task"));
    for (const char* other : {"--text", "--task"})
        command.get_option(other)->excludes(first)->excludes(lines);
}

namespace {

Result<engine::PairsOfTask> anyPairs(const Context& context, const PairArguments& arguments, const Analysed& analysed)
{
    if (arguments.clean || !arguments.file.empty())
        return writtenPairs(arguments, analysed.open);
    std::optional<tasks::Exchange> exchange;
    if (!arguments.exchange.empty()) {
        const auto parsed = tasks::parseExchange(arguments.exchange);
        if (!parsed.has_value())
            return parsed.error();
        exchange = *parsed;
    }
    const auto set =
        tasks::makeTask(arguments.question.task, arguments.question.rows.options(context), *analysed.open.tokenizer);
    if (!set.has_value())
        return set.error();
    auto made = engine::pairsOf(*set, arguments.question.sample.value_or(-1), exchange, readerOf(analysed.open, *set));
    if (!made.has_value())
        return made;
    const auto answer = tokenOf(analysed.open, arguments.question.answer),
               distractor = tokenOf(analysed.open, arguments.question.distractor);
    for (const auto* token : {&answer, &distractor})
        if (!token->has_value())
            return token->error();
    for (engine::PromptPair& pair : made->pairs) {
        pair.answer = *answer ? *answer : pair.answer;
        pair.distractor = *distractor ? *distractor : pair.distractor;
    }
    return made;
}

} // namespace

Result<engine::PairsOfTask> pairsOf(const Context& context, const PairArguments& arguments, const Analysed& analysed)
{
    auto pairs = anyPairs(context, arguments, analysed);
    if (!pairs.has_value())
        return pairs;
    const auto there = interventions::checkPositions(analysed.set, static_cast<int>(pairs->pairs.front().clean.size()));
    if (!there.has_value())
        return there.error();
    return pairs;
}

} // namespace headscope::cli
