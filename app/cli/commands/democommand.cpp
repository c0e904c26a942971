// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/files/patternfiles.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/runs/promptrun.h"
#include "app/cli/runs/rankrun.h"
#include "app/cli/runs/savedpattern.h"
#include "app/cli/runs/scorerun.h"
#include "app/workbench/scores/scoreboard.h"
#include "core/analysis/patternscores.h"
#include "core/base/foldernames.h"
#include "core/engine/pattern/patterns.h"
#include "core/engine/questions/question.h"
#include "core/tasks/ownmodels.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace headscope::cli {

using interventions::HeadRef;
using interventions::InterventionSet;
using nlohmann::json;

namespace {

constexpr int kRankedExamples = 64;
constexpr int kDemoExamples = 256; // of tasks that do not end by themselves

struct DemoArguments {
    ModelArguments model{.model = "tiny-transformer"};
    std::string out = "headscope-demo";
};

struct DemoTasks {
    std::string ranked; ///< heads are ranked on it, and its first sample is drawn
    std::vector<std::string> scored;
};

/// The head that is ablated, and the sentence that says how it was chosen.
struct Choice {
    HeadRef head;
    std::string name;
    std::string why;
};

InterventionSet demoOff(const Choice& choice)
{
    return InterventionSet({interventions::EditHead{.head = choice.head}});
}

std::string percent(double value)
{
    return fmt::format("{:.0f} %", 100 * value);
}

// The circuit gathers first and aggregates last, so of the heads that the task cannot do without, the aggregate head
// is in the latest layer.
Choice choose(const OpenModel& open, const Ranking& ranking, const std::string& task)
{
    const double half = ranking.baseline.value / 2;
    const engine::RankedHead* chosen = nullptr;
    int needed = 0;
    for (const engine::RankedHead& head : ranking.heads) {
        if (head.delta > -half)
            continue;
        ++needed;
        if (!chosen || head.head.layer > chosen->head.layer)
            chosen = &head;
    }
    const bool clear = chosen != nullptr;
    if (!clear)
        chosen = &ranking.heads.front();
    Choice choice{.head = chosen->head, .name = headName(open.spec(), chosen->head)};
    const std::string cost = percent(ranking.baseline.value) + " to " + percent(chosen->value);
    if (clear)
        choice.why = fmt::format("Each of the {} heads was removed alone on {} examples of {}. {} of them cost more "
                                 "than half of the score; of these {} "
                                 "is in the latest layer, so it is taken for the aggregate head ({}).",
                                 ranking.heads.size(), ranking.baseline.n, task, needed, choice.name, cost);
    else
        choice.why = fmt::format("Each of the {} heads was removed alone on {} examples of {}. No single one costs "
                                 "half of the score in this model; {} costs "
                                 "the most ({}).",
                                 ranking.heads.size(), ranking.baseline.n, task, choice.name, cost);
    return choice;
}

tasks::TaskOptions optionsFor(const Context& context, std::optional<double> limit)
{
    tasks::TaskOptions options;
    options.limit = limit;
    if (context.settings.seed != 0)
        options.seed = context.settings.seed;
    return options;
}

// Heads are ranked on the second size of dictionary, as in the window.
DemoTasks demoTasks(const Context& context, const OpenModel& open)
{
    tasks::TaskOptions options = optionsFor(context, {});
    options.dataFolder = context.settings.dataFolder;
    app::Scoreboard board = app::scoreboardOf(*open.tokenizer, open.spec().maxPositions, options);
    const std::size_t size = std::min<std::size_t>(1, board.kvSizes.size() - 1);
    DemoTasks chosen{board.kvTask + ":pairs=" + std::to_string(board.kvSizes[size]), std::move(board.benchmarks)};
    if (tasks::ownModelOf(*open.tokenizer) == tasks::OwnModel::None && options.dataFolder.empty())
        chosen.scored = {chosen.ranked}; // sample rows would demonstrate nothing
    return chosen;
}

Result<Choice> findHead(const Context& context, OpenModel& open, const std::string& task)
{
    const auto benchmark = makeBenchmark(context, open, task, optionsFor(context, kRankedExamples));
    if (!benchmark.has_value())
        return benchmark.error();
    const auto ranking = rankByRemoval(context, open, **benchmark, {}, engine::allHeads(open.spec()));
    if (!ranking.has_value())
        return ranking.error();
    if (const auto stored = rememberRanking(open, **benchmark, {}, *ranking); !stored.has_value())
        return stored.error();
    open.scorer->dropCache();
    return choose(open, *ranking, task);
}

Result<std::vector<ScoredTask>> scoreAll(const Context& context, OpenModel& open, const InterventionSet& set,
                                         const std::vector<std::string>& names)
{
    const bool own = tasks::ownModelOf(*open.tokenizer) != tasks::OwnModel::None;
    tasks::TaskOptions options = optionsFor(context, own ? std::nullopt : std::optional<double>(kDemoExamples));
    options.dataFolder = context.settings.dataFolder;
    std::vector<ScoredTask> scored;
    for (const std::string& name : names) {
        auto benchmark = makeBenchmark(context, open, name, options);
        if (!benchmark.has_value())
            return benchmark.error();
        scored.push_back({.benchmark = std::move(*benchmark)});
        if (const auto done = scoreTask(context, open, set, scored.back()); !done.has_value())
            return done.error();
        open.scorer->dropCache();
    }
    for (const InterventionSet& state : {InterventionSet(), set})
        if (const auto stored = rememberRun(open, state, scored); !stored.has_value())
            return stored.error();
    return scored;
}

std::string nextWord(const OpenModel& open, const engine::NextToken& next)
{
    return fmt::format("'{}' (probability {:.2f})", engine::tokenText(*open.tokenizer, next.id), next.probability);
}

/// Share of the last row on the value that holds the answer.
double shareOnAnswer(const figures::PatternPicture& picture)
{
    double share = 0;
    for (const figures::TokenRange& range : picture.segments)
        if (range.target && range.role == Role::Value)
            share += analysis::massOn(picture.matrix.row(picture.matrix.rows - 1), range.begin, range.end);
    return share;
}

/// One picture of the pair: the head's pattern in this state, and what the model says next.
Result<figures::PatternPicture> picture(const Context& context, OpenModel& open, const EncodedPrompt& prompt,
                                        const Choice& choice, const InterventionSet& set)
{
    auto captured = engine::patterns(*open.loaded.model, prompt.ids, {choice.head}, {.ablation = set}, open.donors,
                                     context.control());
    if (!captured.has_value())
        return captured.error();
    const auto next = engine::nextTokens(*open.loaded.model, prompt.ids, set, open.donors, 1);
    if (!next.has_value())
        return next.error();
    const auto mixer = lm::findMixer(open.spec(), choice.head);
    figures::PatternPicture made{.matrix = captured->front().matrix, .tokens = prompt.tokens, .ids = prompt.ids};
    made.segments = prompt.segments;
    made.head = choice.name;
    const analysis::MatrixConvention convention = conventionOf((*mixer)->kind, true);
    if (const auto kept = rememberPattern(open, prompt, set, captured->front(), convention); !kept.has_value())
        return kept.error();
    made.meaning = analysis::describe(convention);
    made.isSigned = !analysis::rowsSumToOne(convention);
    made.title = set.empty() ? "Before: nothing off" : "After: " + choice.name + " off";
    const std::string looks = fmt::format("The last token puts {} of its weight on the value that is asked for, '{}'",
                                          percent(shareOnAnswer(made)), prompt.answer);
    const std::string says = nextWord(open, next->front());
    made.caption = set.empty()
                       ? looks + "; the model answers " + says + "."
                       : looks + ", but what the head reads there goes nowhere; the model answers " + says + ".";
    made.provenance = open.provenance() + ", " + prompt.source + ", "
                      + (set.empty() ? "nothing ablated" : "ablated: " + ablationWithoutFolders(set.canonical()));
    return made;
}

Result<std::vector<std::string>> drawBoth(const Context& context, OpenModel& open, const Choice& choice,
                                          const std::string& ranked, const std::filesystem::path& folder)
{
    const InterventionSet set = demoOff(choice);
    const auto task = tasks::makeTask(ranked, optionsFor(context, kRankedExamples), *open.tokenizer);
    if (!task.has_value())
        return task.error();
    const auto prompt = promptOfExample(open, *task, 0);
    if (!prompt.has_value())
        return prompt.error();
    std::vector<figures::PatternPicture> pictures;
    std::vector<std::string> paths;
    for (const InterventionSet& state : {InterventionSet(), set}) {
        auto made = picture(context, open, *prompt, choice, state);
        if (!made.has_value())
            return made.error();
#ifdef HEADSCOPE_FIGURES
        const std::vector<const char*> suffixes = {".pdf", ".png"};
#else
        const std::vector<const char*> suffixes = {".csv"};
#endif
        for (const char* suffix : suffixes) {
            made->path = (folder / (choice.name + (state.empty() ? "-before" : "-after") + suffix)).string();
            paths.push_back(made->path);
            pictures.push_back(*made);
        }
    }
    const auto written = writePatternFiles(pictures);
    return written.has_value() ? Result<std::vector<std::string>>(std::move(paths))
                               : Result<std::vector<std::string>>(written.error());
}

void printResults(const Context& context, const OpenModel& open, const Choice& choice,
                  const std::vector<ScoredTask>& scored, const std::vector<std::string>& files)
{
    if (context.json) {
        json results = json::array(), baseline = json::array();
        for (const ScoredTask& task : scored) {
            for (const ComparedScore& line : task.lines)
                results.push_back(toJson(line));
            for (const tasks::Score& score : task.baselineScores)
                baseline.push_back(toJson(score));
        }
        Context::print({{"model", open.name},
                        {"head", choice.name},
                        {"why", choice.why},
                        {"results", results},
                        {"baseline", baseline},
                        {"files", files}});
        return;
    }
    printText("%s\n\n%s\n\nScores with %s off, against the same examples with nothing off:\n\n%s\n",
              open.provenance().c_str(), choice.why.c_str(), choice.name.c_str(), scoreTable(scored).c_str());
    printText("delta: now minus baseline. p: two-sided, exact McNemar test on the pairs of examples.\n\nPatterns of "
              "%s before and after, and the session:\n",
              choice.name.c_str());
    for (const std::string& file : files)
        printText("  %s\n", file.c_str());
}

Result<void> demo(const Context& context, const DemoArguments& arguments)
{
    std::error_code failed;
    const std::filesystem::path folder = std::filesystem::absolute(arguments.out).lexically_normal();
    std::filesystem::create_directories(folder, failed);
    if (!std::filesystem::is_directory(folder, failed))
        return ioError("The folder '" + folder.string() + "' could not be created.");
    const std::string session = context.session.empty() ? (folder / "demo.headscope").string()
                                                        : std::filesystem::absolute(context.session).string();
    auto opened = openModel(context, arguments.model, session);
    if (!opened.has_value())
        return opened.error();
    OpenModel& open = *opened;
    const DemoTasks chosen = demoTasks(context, open);
    const auto choice = findHead(context, open, chosen.ranked);
    if (!choice.has_value())
        return choice.error();
    const auto scored = scoreAll(context, open, demoOff(*choice), chosen.scored);
    if (!scored.has_value())
        return scored.error();
    auto files = drawBoth(context, open, *choice, chosen.ranked, folder);
    if (!files.has_value())
        return files.error();
    files->push_back(session);
    printResults(context, open, *choice, *scored, *files);
    return {};
}

} // namespace

void addDemoCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<DemoArguments>();
    CLI::App* command =
        app.add_subcommand("demo", "find the aggregate head of a model, ablate it, score again and draw it");
    command->add_option("MODEL", arguments->model.model, "model folder or included model")->capture_default_str();
    option(*command, "--tokenizer", arguments->model.tokenizer);
    option(*command, "--output", arguments->out, "folder for the pictures and the session")->capture_default_str();
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return demo(context, *arguments); }; });
}

} // namespace headscope::cli
