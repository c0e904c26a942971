// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/scorerun.h"

#include "app/cli/files/texttable.h"
#include "app/notebook/evaluation.h"
#include "app/workbench/scores/measure.h"
#include "core/base/foldernames.h"
#include "core/base/words/counted.h"
#include "core/engine/scoring/pairs/chatmode.h"
#include "core/tasks/import/harnessjson.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <unordered_set>

namespace headscope::cli {

using interventions::InterventionSet;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr std::size_t kIssuesShown = 5;

void printIssues(const Context& context, const char* word, const std::vector<tasks::RowIssue>& issues)
{
    for (std::size_t i = 0; i < issues.size() && i < kIssuesShown; ++i)
        context.note(std::string(word) + ": " + tasks::toText(issues[i]));
    if (issues.size() > kIssuesShown)
        context.note("... and " + counted(issues.size() - kIssuesShown, "more row") + ": " + word);
}

// What an example's own tokens are: context and continuation of each sequence, or the prompt that is continued.
std::int64_t tokensOf(const engine::EncodedExample& example)
{
    auto tokens = static_cast<std::int64_t>(example.prompt.size());
    for (const engine::Sequence& sequence : example.sequences)
        tokens += static_cast<std::int64_t>(sequence.ids.size());
    return tokens;
}

std::int64_t rowsIn(const engine::Rows& rows)
{
    return std::ranges::count_if(rows.outcomes, [](const auto& outcome) { return outcome.has_value(); });
}

Result<void> countWork(OpenModel& open, const InterventionSet& set, ScoredTask& scored)
{
    const engine::Benchmark& benchmark = *scored.benchmark;
    for (const tasks::LeafTask& leaf : benchmark.set().leaves) {
        std::unordered_set<std::string> known;
        if (open.session) {
            auto done = open.session->doneExamples(app::seriesOf(open.subject, benchmark, leaf, set));
            if (!done.has_value())
                return done.error();
            known = std::move(*done);
        }
        for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
            if (known.contains(benchmark.hashes()[i]))
                ++scored.reused;
            else
                scored.tokens += tokensOf(benchmark.workload().examples()[i]);
        }
    }
    return {};
}

Result<void> runTask(const Context& context, OpenModel& open, const InterventionSet& set, const std::string& stage,
                     ScoredTask& scored, engine::Rows& rows)
{
    rows = scored.benchmark->emptyRows();
    Control control = context.control();
    if (control.report)
        control.report = [stage, report = control.report](const Progress& progress) {
            report({stage, progress.done, progress.total});
        };
    return app::evaluate(open.store(), open.subject, *open.scorer, *scored.benchmark, set, open.donors, rows, {},
                         control);
}

void noteFailures(const engine::Benchmark& benchmark, const engine::Rows& rows, std::vector<std::string>& notes)
{
    for (const tasks::LeafTask& leaf : benchmark.set().leaves) {
        int failed = 0, cut = 0;
        std::string first;
        for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
            if (!rows.results[i].error.empty() && failed++ == 0)
                first = rows.results[i].error;
            cut += rows.outcomes[i] && benchmark.workload().examples()[i].truncated
                       ? 1
                       : 0; // also where the result is from the session
        }
        if (failed > 0)
            notes.push_back(leaf.name + ": " + counted(failed, "row") + " could not be scored; the first: " + first);
        if (cut > 0)
            notes.push_back(leaf.name + ": " + counted(cut, "context") + (cut == 1 ? " was" : " were")
                            + " truncated on the left to fit the model.");
    }
}

// What was looked at all the time says what holds at any time; the test of a finished run would not.
void printStopped(const app::Settings& settings, ScoredTask& scored)
{
    for (ComparedScore& line : scored.lines) {
        if (!line.against || !line.against->anytime)
            continue;
        const engine::Anytime& now = *line.against->anytime;
        line.against->interval = now.interval;
        line.against->p = now.p;
        line.against->test = now.test;
        line.against->kind = engine::Anytime::kKind;
    }
    const ComparedScore& first = scored.lines.front();
    if (!scored.stopped)
        return scored.notes.push_back(first.score.task
                                      + ": undecided with all examples; interval and p hold at any time.");
    const bool decided = first.against && first.against->p < 1 - settings.stopLevel;
    scored.notes.push_back(
        first.score.task + ": stopped after " + std::to_string(first.against ? first.against->n : 0) + " of "
        + std::to_string(scored.now.outcomes.size()) + " examples, "
        + (decided ? "where the sign of the change was decided" : "where the 95 % interval was narrower than asked")
        + "; interval and p hold at any time.");
}

analysis::Limit limitOf(const ComparedScore& line)
{
    return line.against && line.score.higherIsBetter
               ? analysis::limitOf(line.against->baseline, line.against->n, line.score.chance)
               : analysis::Limit::None;
}

// Where no change could show in one direction.
void noteLimit(ScoredTask& scored)
{
    if (scored.lines.empty())
        return;
    const tasks::Score& score = scored.lines.front().score;
    const auto add = [&](const std::string& text) {
        scored.notes.push_back(score.task + " " + score.metric + ": " + text);
    };
    switch (limitOf(scored.lines.front())) {
    case analysis::Limit::None: return;
    case analysis::Limit::Floor: return add("the baseline is 0.00, so nothing can be lost.");
    case analysis::Limit::Chance:
        return add("the baseline is not above guessing (" + number(score.chance)
                   + "), so a loss carries no information.");
    case analysis::Limit::Ceiling: return add("the baseline is 1.00, so nothing can be gained.");
    }
}

Result<void> judge(const Context& context, ScoredTask& scored)
{
    const tasks::TaskSet& set = scored.benchmark->set();
    const auto now = tasks::aggregate(set, scored.now.results, {}, context.control());
    if (!now.has_value())
        return now.error();
    for (const tasks::Score& score : *now)
        scored.lines.push_back({.score = score});
    noteFailures(*scored.benchmark, scored.now, scored.notes);
    if (!scored.compared)
        return {};
    auto before = tasks::aggregate(set, scored.baseline.results, {}, context.control());
    if (!before.has_value())
        return before.error();
    scored.baselineScores = std::move(*before);
    const bool whole = context.settings.stopWidth <= 0;
    const auto compared = engine::compare(set, scored.baseline.results, scored.now.results, {.anytime = !whole});
    if (!compared.has_value())
        return compared.error();
    for (std::size_t i = 0; i < compared->size() && i < scored.lines.size(); ++i)
        scored.lines[i].against = (*compared)[i];
    noteLimit(scored);
    if (!whole && !scored.lines.empty())
        printStopped(context.settings, scored);
    return {};
}

// Where the tokens that were scored are not those of the text.
void markMerged(const OpenModel& open, ScoredTask& scored)
{
    std::string known;
    engine::MergedRows merged;
    for (ComparedScore& line : scored.lines) {
        if (line.score.task != known) { // of several metrics once
            known = line.score.task;
            merged = engine::mergedRows(scored.benchmark->set(), known, *open.tokenizer, open.subject.bos);
            if (std::string note = engine::boundaryNote(known, merged, scored.boundary); !note.empty())
                scored.notes.push_back(std::move(note));
        }
        line.merged = merged;
    }
}

// Both states in turns, until enough is known.
Result<void> runUntilDecided(const Context& context, OpenModel& open, const InterventionSet& set, ScoredTask& scored)
{
    const engine::Benchmark& benchmark = *scored.benchmark;
    const Control control = context.control();
    scored.baseline = benchmark.emptyRows();
    scored.now = benchmark.emptyRows();
    const auto before = app::Evaluation::begin(open.store(), open.subject, benchmark, {}, scored.baseline, {});
    if (!before.has_value())
        return before.error();
    const auto after = app::Evaluation::begin(open.store(), open.subject, benchmark, set, scored.now, {});
    if (!after.has_value())
        return after.error();
    for (;;) {
        const auto compared =
            engine::compare(benchmark.set(), scored.baseline.results, scored.now.results, {.anytime = true});
        if (!compared.has_value())
            return compared.error();
        const engine::Portion next = engine::nextPortion(benchmark, scored.now, 1); // a batch at a time
        scored.stopped = !next.rows.empty() && !compared->empty() && app::isEnough(context.settings, compared->front());
        if (scored.stopped || next.rows.empty())
            return {};
        for (const auto& [evaluation, rows] : {std::pair(&*before, &scored.baseline), std::pair(&*after, &scored.now)})
            if (const auto ran = evaluation->run(*open.scorer, open.donors, *rows, {}, control, next.rows);
                !ran.has_value())
                return ran;
        scored.tokens += next.tokens;
        control.progress(benchmark.set().name + ", until decided", rowsIn(scored.now),
                         static_cast<std::int64_t>(scored.now.outcomes.size()));
    }
}

json verdict(const tasks::LeafTask& leaf, const tasks::Outcome& outcome, const tasks::RowResult& result)
{
    json reply = {{"log_likelihoods", outcome.logLikelihoods},
                  {"prediction", result.judgement ? result.judgement->prediction : -1}};
    reply["correct"] = result.judgement ? json(result.judgement->correct) : json();
    if (leaf.scoring == tasks::Scoring::LogLikelihood)
        reply["greedy"] = !outcome.greedy.empty() && outcome.greedy.front();
    if (leaf.scoring == tasks::Scoring::Generation)
        reply["generated"] = outcome.generated;
    if (!result.error.empty())
        reply["rejected"] = result.error;
    return reply;
}

Result<void> askAsChat(tasks::TaskSet& set, const OpenModel& open)
{
    if (open.subject.bos != engine::BosPolicy::Never)
        return inputError("A chat template writes its own start token; --bos "
                          + std::string(engine::name(open.subject.bos)) + " cannot be combined with it.");
    const auto chat = text::ChatTemplate::load(open.folder);
    if (!chat.has_value())
        return chat.error();
    const auto writes = chat->writesUser();
    return writes.has_value() ? engine::applyChatTemplate(set, *chat) : writes;
}

} // namespace

std::vector<std::string> expandTasks(const std::vector<std::string>& names)
{
    std::vector<std::string> expanded;
    for (const std::string& name : names) {
        const bool bare = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
        const std::size_t equals = expanded.empty() ? std::string::npos : expanded.back().rfind('=');
        if (bare && equals != std::string::npos)
            expanded.push_back(expanded.back().substr(0, equals + 1) + name);
        else
            expanded.push_back(name);
    }
    return expanded;
}

Result<std::shared_ptr<const engine::Benchmark>> makeBenchmark(const Context& context, const OpenModel& open,
                                                               const std::string& task,
                                                               const tasks::TaskOptions& options, bool chat,
                                                               engine::Boundary boundary)
{
    auto set = tasks::makeTask(task, options);
    if (!set.has_value())
        return set.error();
    if (chat)
        if (const auto asked = askAsChat(*set, open); !asked.has_value())
            return asked.error();
    printIssues(context, "rejected", set->report.rejected);
    printIssues(context, "warning", set->report.warnings);
    return app::makeBenchmark(open, std::move(*set), boundary);
}

std::vector<InterventionSet> statesOf(const OpenModel& open, const InterventionSet& set)
{
    return set.empty() || open.partial ? std::vector{set} : std::vector{InterventionSet(), set};
}

Result<void> scoreTask(const Context& context, OpenModel& open, const InterventionSet& set, ScoredTask& scored)
{
    const std::string& name = scored.benchmark->set().name;
    const std::vector<InterventionSet> states = statesOf(open, set);
    scored.compared = states.size() > 1;
    scored.notes = scored.benchmark->set().notes;
    const bool untilDecided = context.settings.stopWidth > 0 && scored.compared;
    if (untilDecided) {
        if (const auto done = runUntilDecided(context, open, set, scored); !done.has_value())
            return done;
        const auto judged = judge(context, scored);
        if (judged.has_value())
            markMerged(open, scored);
        return judged;
    }
    for (const InterventionSet& state : states)
        if (const auto counted = countWork(open, state, scored); !counted.has_value())
            return counted;
    // When that is stopped, what was finished is read all the same.
    Result<void> done = shareStates(context, open, *scored.benchmark, states, name);
    for (const InterventionSet& state : states) {
        if (!done.has_value() && done.error().kind != Error::Kind::Cancelled)
            return done;
        engine::Rows& rows = scored.compared && state.empty() ? scored.baseline : scored.now;
        done = runTask(context, open, state, state.empty() ? name : name + ", " + state.canonical(), scored, rows);
    }
    if (!done.has_value())
        return done;
    const auto judged = judge(context, scored);
    if (judged.has_value())
        markMerged(open, scored);
    return judged;
}

Result<void> rememberRun(OpenModel& open, const InterventionSet& set, const std::vector<ScoredTask>& scored)
{
    if (!open.session)
        return {};
    sessions::RunRecord record{.name = set.empty() ? "baseline" : ablationWithoutFolders(set.canonical()),
                               .modelHash = open.subject.model.hash,
                               .ablation = set.canonical()};
    for (const ScoredTask& task : scored)
        for (const tasks::LeafTask& leaf : task.benchmark->set().leaves)
            record.series.push_back(app::seriesOf(open.subject, *task.benchmark, leaf, set));
    return open.session->listRun(record);
}

json toJson(const tasks::Score& score)
{
    return {{"task", score.task},
            {"metric", score.metric},
            {"filter", score.filter},
            {"value", score.value},
            {"stderr", score.standardError ? json(*score.standardError) : json()},
            {"wilson", score.wilson ? intervalJson(*score.wilson) : json()},
            {"n", score.n},
            {"rejected", score.rejected},
            {"failed", score.failed},
            {"subset", score.extent},
            {"group", score.group},
            {"higher_is_better", score.higherIsBetter},
            {"guessing", score.chance > 0 ? json(score.chance) : json()}};
}

json toJson(const ComparedScore& line)
{
    json reply = toJson(line.score);
    reply["merged"] = line.merged.rows;
    reply["merged_first"] = line.merged.first();
    const engine::Comparison* against = line.against ? &*line.against : nullptr;
    reply["delta"] = against ? json(against->delta) : json();
    reply["interval"] = against ? intervalJson(against->interval) : json();
    reply["interval_kind"] = against ? json(against->kind) : json();
    reply["p"] = against ? json(against->p) : json();
    const std::string limit = analysis::name(limitOf(line));
    reply["limit"] = limit.empty() ? json() : json(limit);
    if (against) {
        reply["test"] = against->test;
        reply["baseline"] = against->baseline;
        reply["paired"] = against->n;
        reply["broken"] = against->broken;
        reply["fixed"] = against->fixed;
        if (against->anytime)
            reply["e_value"] = against->anytime->evidence;
    }
    return reply;
}

std::string scoreTable(const std::vector<ScoredTask>& scored)
{
    const bool compared =
        std::any_of(scored.begin(), scored.end(), [](const ScoredTask& task) { return task.compared; });
    std::set<std::string> kinds;
    for (const ScoredTask& task : scored)
        for (const ComparedScore& line : task.lines)
            kinds.insert(line.against ? line.against->kind : analysis::kProportionInterval);
    const std::string heading = "95 % interval" + (kinds.size() == 1 ? " (" + *kinds.begin() + ")" : std::string());
    std::vector<std::vector<std::string>> rows;
    rows.push_back(
        compared ? std::vector<std::string>{"task", "metric", "baseline", "now", "delta", heading, "p", "n", "rows"}
                 : std::vector<std::string>{"task", "metric", "score", "stderr", heading, "n", "rows"});
    for (const ScoredTask& task : scored)
        for (const ComparedScore& line : task.lines) {
            const tasks::Score& score = line.score;
            const std::string metric = score.filter == "none" ? score.metric : score.metric + "," + score.filter;
            std::vector<std::string> row = {score.task, metric};
            if (!compared)
                row.insert(row.end(), {number(score.value), score.standardError ? number(*score.standardError) : "-",
                                       score.wilson ? intervalText(*score.wilson) : "-"});
            else if (line.against)
                row.insert(row.end(),
                           {number(line.against->baseline), number(score.value), signedNumber(line.against->delta),
                            intervalText(line.against->interval)
                                + (kinds.size() > 1 ? std::string(" ") + line.against->kind : std::string()),
                            pText(line.against->p)});
            std::string extent = score.extent;
            if (task.boundary == engine::Boundary::CommonPrefix)
                extent += ", common prefix";
            if (line.merged.rows > 0)
                extent += ", " + std::to_string(line.merged.rows) + " merged";
            row.insert(row.end(), {std::to_string(score.n), extent});
            rows.push_back(std::move(row));
        }
    return textTable(rows);
}

std::string sampleLine(const ScoredTask& scored, std::size_t example)
{
    const tasks::TaskSet& set = scored.benchmark->set();
    const tasks::Example& asked = set.examples[example];
    const tasks::LeafTask& leaf = set.leafOf(example);
    const tasks::Outcome& outcome = *scored.now.outcomes[example];
    const tasks::RowResult& result = scored.now.results[example];
    ordered_json line;
    if (result.judgement)
        line = ordered_json::parse(
            tasks::harnessSample(asked, leaf, outcome, *result.judgement, leaf.metrics.front().filter));
    line["id"] = scored.benchmark->hashes()[example];
    line["task"] = asked.task;
    line["file"] = asked.file;
    line["row"] = asked.row;
    line["gold"] = asked.gold;
    line["truncated"] = scored.benchmark->workload().examples()[example].truncated;
    const json now = verdict(leaf, outcome, result);
    for (const auto& [key, value] : now.items())
        line[key] = value;
    if (scored.compared && scored.baseline.outcomes[example])
        line["baseline"] = verdict(leaf, *scored.baseline.outcomes[example], scored.baseline.results[example]);
    return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace headscope::cli
