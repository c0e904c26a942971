// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/files/harnessfiles.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/runs/memoryreport.h"
#include "app/cli/runs/scorerun.h"
#include "app/cli/runs/sharedrun.h"
#include "core/base/elapsed.h"
#include "core/base/words/counted.h"
#include "core/base/writefile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <memory>

namespace headscope::cli {

using nlohmann::json;

namespace {

struct ScoreArguments {
    ModelArguments model;
    TaskArguments task;
    std::vector<std::string> tasks;
    std::string samples;
    std::string harness; ///< folder
    std::string part;    ///< K/N
    bool chat = false;
    std::string boundary = engine::name(engine::Boundary::Harness);
};

/// The file of --samples; lines of finished examples are written even when the run was stopped.
class SamplesFile
{
public:
    [[nodiscard]] Result<void> open(const std::string& path)
    {
        m_path = path;
        if (path.empty())
            return {};
        return m_file.open(path);
    }
    [[nodiscard]] Result<void> add(const ScoredTask& scored)
    {
        if (m_path.empty())
            return {};
        std::string lines;
        for (std::size_t i = 0; i < scored.now.outcomes.size(); ++i)
            if (scored.now.outcomes[i])
                lines += sampleLine(scored, i) + '\n';
        return m_file.append(lines);
    }
    [[nodiscard]] Result<void> commit() { return m_path.empty() ? Result<void>() : m_file.commit(); }

private:
    std::string m_path;
    OutputFile m_file;
};

constexpr const char* kPartial =
    "The whole model does not fit into memory: only the layers asked for are loaded, and there is no baseline.";

json describeScore(const OpenModel& open, const interventions::InterventionSet& set,
                   const std::vector<ScoredTask>& scored)
{
    json results = json::array(), baseline = json::array(), notes = json::array();
    std::int64_t tokens = 0;
    int reused = 0;
    if (open.partial)
        notes.push_back(kPartial);
    if (const std::string slowdown = open.scorer->slowdown(); !slowdown.empty())
        notes.push_back(slowdown);
    for (const ScoredTask& task : scored) {
        for (const ComparedScore& line : task.lines) {
            results.push_back(toJson(line));
            results.back()["stopped"] = task.stopped;
        }
        for (const tasks::Score& score : task.baselineScores)
            baseline.push_back(toJson(score));
        for (const std::string& note : task.notes)
            notes.push_back(note);
        tokens += task.tokens;
        reused += task.reused;
    }
    return {{"results", results},
            {"baseline", baseline},
            {"ablation", set.canonical()},
            {"model", open.name},
            {"family", open.spec().family},
            {"hash", open.loaded.contentHash},
            {"dtype", open.loaded.dtype},
            {"device", open.loaded.device},
            {"bos", engine::name(open.subject.bos)},
            {"log_softmax", engine::name(open.subject.logSoftmax)},
            {"tokens", tokens},
            {"reused", reused},
            {"notes", notes}};
}

tasks::HarnessRun harnessRun(const ScoreArguments& arguments, const OpenModel& open,
                             const interventions::InterventionSet& set, double seconds)
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return {.model = open.name,
            .modelArgs = "dtype=" + open.loaded.dtype + ",device=" + open.loaded.device,
            .bos = engine::name(open.subject.bos),
            .logSoftmax = engine::name(open.subject.logSoftmax),
            .ablation = set.canonical(),
            .date = std::chrono::duration<double>(now).count() - seconds,
            .seconds = seconds,
            .limit = arguments.task.limit,
            .maxLength = open.spec().maxPositions};
}

// Every task is read before the first one runs, so that a wrong name does not cost a run.
Result<std::vector<ScoredTask>> readTasks(const Context& context, const ScoreArguments& arguments,
                                          const OpenModel& open)
{
    std::vector<ScoredTask> scored;
    for (const std::string& name : expandTasks(arguments.tasks)) {
        auto benchmark = makeBenchmark(context, open, name, arguments.task.options(context), arguments.chat,
                                       engine::boundaryNamed(arguments.boundary));
        if (!benchmark.has_value())
            return benchmark.error();
        scored.push_back({.benchmark = std::move(*benchmark), .boundary = engine::boundaryNamed(arguments.boundary)});
    }
    return scored;
}

Result<void> keepScores(const Context& context, const ScoreArguments& arguments, OpenModel& open,
                        const interventions::InterventionSet& set, const std::vector<ScoredTask>& scored,
                        double seconds)
{
    if (!set.empty() && !open.partial)
        if (const auto stored = rememberRun(open, {}, scored); !stored.has_value())
            return stored;
    if (const auto stored = rememberRun(open, set, scored); !stored.has_value())
        return stored;
    if (arguments.harness.empty())
        return {};
    const auto written = writeHarnessFiles(arguments.harness, harnessRun(arguments, open, set, seconds), scored);
    if (!written.has_value())
        return written.error();
    context.note("The harness's files are beside '" + written->string() + "'.");
    if (std::any_of(scored.begin(), scored.end(), [](const ScoredTask& task) { return task.reused > 0; }))
        context.note(
            "A session does not keep which of several choices are greedy; rows taken from it say False there.");
    return {};
}

void printScore(const OpenModel& open, const interventions::InterventionSet& set, const std::vector<ScoredTask>& scored,
                const json& reply)
{
    printText("%s\nablation: %s\n\n%s\n", open.provenance().c_str(), set.empty() ? "none" : set.canonical().c_str(),
              scoreTable(scored).c_str());
    for (const auto& note : reply["notes"])
        printText("%s\n", note.get<std::string>().c_str());
    printText("%s in %.2f s; %s taken from the session\n",
              counted(reply["tokens"].get<std::int64_t>(), "token").c_str(), reply["seconds"].get<double>(),
              counted(reply["reused"].get<int>(), "result").c_str());
}

// Task by task: scores, samples, what the session keeps.
Result<void> scoreTasks(const Context& context, OpenModel& open, const interventions::InterventionSet& set,
                        std::vector<ScoredTask>& scored, SamplesFile& samples)
{
    Result<void> done;
    for (ScoredTask& task : scored) {
        done = scoreTask(context, open, set, task);
        if (const auto written = samples.add(task); !written.has_value())
            return written;
        if (!done.has_value())
            break;
        open.scorer->dropCache();
    }
    const auto written = samples.commit();
    return written.has_value() ? done : written;
}

Result<void> scorePart(const Context& context, OpenModel& open, const interventions::InterventionSet& set,
                       const std::vector<ScoredTask>& scored, const app::WorkPart& part)
{
    std::vector<DividedWork> works;
    for (const ScoredTask& task : scored)
        works.push_back(dividedStates(context, open, task.benchmark, statesOf(open, set), part));
    return measurePart(context, *open.store(), part, works);
}

Result<void> score(const Context& context, ScoreArguments arguments)
{
    const auto set = interventions::InterventionSet::parse(arguments.model.ablate);
    if (!set.has_value())
        return set.error();
    const auto part = partOf(context, arguments.part);
    if (!part.has_value())
        return part.error();
    if (*part && context.settings.stopWidth > 0)
        return inputError("--until-decided looks at all rows after each batch, so it cannot be divided; leave out "
                          "--part.");
    if (const auto can = checkSharing(context); !can.has_value())
        return can;
    if (!*part) { // each machine has another amount of memory free, and parts are to be of the same states
        arguments.model.layerLimit = set->layersNeeded();
        arguments.model.wholeIfItFits = true; // for the baseline
    }
    auto opened = openModel(context, arguments.model, context.session);
    if (!opened.has_value())
        return opened.error();
    OpenModel& open = *opened;
    if (open.partial)
        context.note(kPartial);

    auto scored = readTasks(context, arguments, open);
    if (!scored.has_value())
        return scored.error();
    if (*part)
        return scorePart(context, open, *set, *scored, **part);
    SamplesFile samples;
    if (const auto ready = samples.open(arguments.samples); !ready.has_value())
        return ready;

    std::vector<std::shared_ptr<const engine::Benchmark>> benchmarks;
    for (const ScoredTask& task : *scored)
        benchmarks.push_back(task.benchmark);
    const MemoryReport memory(context, open, benchmarks, *set, sharedPortions(open, statesOf(open, *set)));

    const auto started = std::chrono::steady_clock::now();
    if (const auto done = scoreTasks(context, open, *set, *scored, samples); !done.has_value())
        return done;
    const double seconds = secondsSince(started);
    if (const auto kept = keepScores(context, arguments, open, *set, *scored, seconds); !kept.has_value())
        return kept;
    json reply = describeScore(open, *set, *scored);
    reply["seconds"] = seconds;
    reply["boundary"] = arguments.boundary;
    reply["memory"] = memory.toJson();
    if (context.json)
        Context::print(reply);
    else
        printScore(open, *set, *scored, reply);
    return {};
}

} // namespace

void addScoreCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<ScoreArguments>();
    CLI::App* command =
        app.add_subcommand("score", "score benchmarks; with --ablate, also compare with the baseline by a paired test");
    arguments->model.addTo(*command, context);
    option(*command, "--task", arguments->tasks)->required()->delimiter(',');
    arguments->task.addTo(*command, context);
    flag(*command, "--apply-chat-template", arguments->chat);
    option(*command, "--boundary", arguments->boundary)->capture_default_str();
    option(*command, "--log-softmax", arguments->model.logSoftmax)->capture_default_str();
    // What is decided is whether an ablation changes the score, and from which level on.
    CLI::Option* decided = option(*command, "--until-decided", context.settings.stopWidth);
    decided->check(CLI::Range(1e-6, 2.0))->needs(command->get_option("--ablate"));
    option(*command, "--decided-at", context.settings.stopLevel)->check(CLI::Range(0.5, 0.999999))->needs(decided);
    option(*command, "--samples", arguments->samples);
    option(*command, "--harness", arguments->harness);
    option(*command, "--part", arguments->part);
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return score(context, *arguments); }; });
}

} // namespace headscope::cli
