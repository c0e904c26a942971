// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/runs/scorerun.h"
#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/analysisrun.h"
#include "app/workbench/survey/surveytexts.h"
#include "core/engine/questions/headchanges.h"
#include "core/engine/questions/probetexts.h"
#include "core/io/safetensors/adapter.h"
#include "core/survey/survey.h"
#include "core/why/names.h"
#include "core/why/probes.h"
#ifdef HEADSCOPE_FIGURES
#include "app/figures/curvefigure.h"
#endif

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

namespace headscope::cli {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

struct SeriesArguments {
    std::vector<std::string> models;
    ModelArguments model; ///< its options, for each of the models
    TaskArguments rows;
    std::vector<std::string> texts;
    std::string task, metric, head;
    std::vector<std::string> outputs;
};

/// One model of the series.
struct SeriesModel : app::SeriesPoint {
    std::string model;
    app::Checkpoint checkpoint;
};

struct Series {
    std::vector<SeriesModel> models;
    std::optional<Analysed> last; ///< model
};

// A folder of checkpoints stands for the models in it.
Result<std::vector<std::pair<std::int64_t, std::string>>> stepsOf(const std::vector<std::string>& models)
{
    std::vector<std::string> all;
    for (const std::string& model : models) {
        const std::size_t before = all.size();
        std::error_code none;
        for (const auto& entry : fs::directory_iterator(model, none))
            if ((fs::exists(entry.path() / "config.json", none) || io::isAdapterAlone(entry.path()))
                && engine::trainingStep(entry.path().filename().string()))
                all.push_back(entry.path().string());
        if (all.size() == before) // the model itself; beside checkpoints it is their last
            all.push_back(model);
    }
    std::vector<std::pair<std::int64_t, std::string>> steps;
    for (const std::string& model : all) {
        const auto step = engine::trainingStep(model);
        if (!step)
            return inputError("The name of '" + model
                              + "' has no training step; expected a name such as "
                                "step-1000 or org/name@step1000.");
        steps.emplace_back(*step, model);
    }
    std::sort(steps.begin(), steps.end());
    if (steps.size() < 2)
        return inputError("A series needs at least two checkpoints; found " + std::to_string(steps.size())
                          + ". Expected models, or a folder with subfolders such as step-1000.");
    for (std::size_t i = 1; i < steps.size(); ++i)
        if (steps[i].first == steps[i - 1].first)
            return inputError("'" + steps[i - 1].second + "' and '" + steps[i].second
                              + "' are of the same training step; expected one of them.");
    return steps;
}

// By which the number of a checkpoint is known.
std::string workOf(const Analysed& analysed, const std::string& question)
{
    return app::workKey(analysed.asked(), "series", question);
}

// The score of a task, or with something ablated how much that costs.
Result<void> addScore(const Context& context, const SeriesArguments& arguments, Analysed& analysed, SeriesModel& point)
{
    auto benchmark = makeBenchmark(context, analysed.open, arguments.task, arguments.rows.options(context));
    if (!benchmark.has_value())
        return benchmark.error();
    ScoredTask scored;
    scored.benchmark = std::move(*benchmark);
    if (const auto done = scoreTask(context, analysed.open, analysed.set, scored); !done.has_value())
        return done;
    const ComparedScore& line = scored.lines.front();
    point.value = line.against ? line.against->delta : line.score.value;
    if (line.against)
        point.interval = line.against->interval;
    else if (line.score.wilson)
        point.interval = line.score.wilson;
    point.checkpoint.work = workOf(analysed, app::rankingQuestion(analysed.asked(), *scored.benchmark));
    return {};
}

bool isProbe(const std::string& metric)
{
    static constexpr std::array kProbes = {"induction", "previous", "duplicate", "sink", "retrieval"};
    return std::ranges::find(kProbes, metric) != kProbes.end();
}

// Whether the metric is a mean over texts, or the prompts of a task, instead of over random tokens.
bool overTexts(const SeriesArguments& arguments)
{
    return !arguments.metric.empty() && (!arguments.texts.empty() || !isProbe(arguments.metric));
}

// Which tokens of the texts are read, and how.
std::string readingText(const survey::WindowOptions& options)
{
    return fmt::format("window {} tokens {} seed {} start {}", options.length, options.tokens, options.seed,
                       options.start ? std::to_string(*options.start) : "none");
}

Result<void> addSurveyed(const Context& context, const SeriesArguments& arguments, const Analysed& analysed,
                         SeriesModel& point)
{
    const survey::Metric metric = *survey::parseMetric(arguments.metric);
    app::SurveyRequest wanted{.texts = {arguments.texts.begin(), arguments.texts.end()},
                              .taskOptions = arguments.rows.options(context),
                              .seed = context.settings.seed};
    if (!arguments.task.empty())
        wanted.tasks = {arguments.task};
    auto texts = app::openTexts(analysed.open, wanted, context.control());
    if (!texts.has_value())
        return texts.error();
    const std::string howRead = readingText(texts->windows.options());
    auto survey = survey::Survey::make(analysed.open.loaded.model, analysed.base, std::move(texts->windows), {});
    if (!survey.has_value())
        return survey.error();
    for (;;) {
        const auto more = survey->step(context.control());
        if (!more.has_value())
            return more.error();
        if (!*more)
            break;
    }
    for (std::size_t i = 0; i < survey->heads().size(); ++i) {
        const auto& [layer, site, head] = survey->heads()[i];
        if (const survey::Distribution& values = survey->results()[i].of(metric); values.count() > 0)
            point.heads.emplace_back(why::headName(analysed.open.spec(), layer, site, head), values.mean());
    }
    if (point.heads.empty())
        return inputError("'" + arguments.metric + "' is defined at no token of " + texts->source
                          + "; expected longer texts.");
    point.checkpoint.work = workOf(analysed, "survey " + arguments.metric + " " + texts->hash + " " + howRead);
    return {};
}

Result<void> addProbed(const Context& context, const SeriesArguments& arguments, const Analysed& analysed,
                       SeriesModel& point)
{
    const why::RepeatedTokens tokens =
        engine::repeatedTokens(*analysed.open.tokenizer, analysed.open.spec(), context.settings.seed);
    const auto sequences = why::repeatedSequences(analysed.model(), tokens);
    if (!sequences.has_value())
        return sequences.error();
    std::vector<why::RetrievalRow> rows;
    if (arguments.metric == "retrieval") {
        const auto set = tasks::makeTask(arguments.task, arguments.rows.options(context), *analysed.open.tokenizer);
        if (!set.has_value())
            return set.error();
        auto found = engine::retrievalRows(*set, readerOf(analysed.open, *set));
        if (!found.has_value())
            return found.error();
        rows = std::move(*found);
    }
    const auto heads = why::probeHeads(analysed.model(), analysed.base, *sequences, rows, context.control());
    if (!heads.has_value())
        return heads.error();
    for (const why::HeadProbe& head : *heads)
        point.heads.emplace_back(why::headName(analysed.open.spec(), head.layer, head.site, head.head),
                                 why::scoreOf(head, arguments.metric));
    point.checkpoint.work = workOf(analysed, app::probeQuestion(analysed.asked(), {.sequences = *sequences,
                                                                                   .rows = rows,
                                                                                   .seed = context.settings.seed,
                                                                                   .task = arguments.task,
                                                                                   .methods = {arguments.metric}}));
    return {};
}

Result<void> addMetric(const Context& context, const SeriesArguments& arguments, const Analysed& analysed,
                       SeriesModel& point)
{
    const auto done = overTexts(arguments) ? addSurveyed(context, arguments, analysed, point)
                                           : addProbed(context, arguments, analysed, point);
    if (!done.has_value())
        return done;
    const auto named = std::find_if(point.heads.begin(), point.heads.end(),
                                    [&](const auto& head) { return head.first == arguments.head; });
    if (!arguments.head.empty() && named == point.heads.end())
        return inputError("There is no head '" + arguments.head + "'; expected one such as " + point.heads.front().first
                          + ".");
    const auto chosen = arguments.head.empty()
                            ? std::max_element(point.heads.begin(), point.heads.end(),
                                               [](const auto& a, const auto& b) { return a.second < b.second; })
                            : named;
    point.head = chosen->first;
    point.value = chosen->second;
    return {};
}

Result<Series> measureSeries(const Context& context, const SeriesArguments& arguments)
{
    const auto steps = stepsOf(arguments.models);
    if (!steps.has_value())
        return steps.error();
    Series series;
    std::optional<lm::ModelSpec> first;
    for (const auto& [step, model] : *steps) {
        ModelArguments own = arguments.model;
        own.model = model;
        series.last.reset(); // two models are never held together
        auto analysed = openAnalysed(context, own);
        if (!analysed.has_value())
            return analysed.error();
        if (!first)
            first = analysed->open.spec();
        if (const auto same = engine::checkShapes(*first, analysed->open.spec()); !same.has_value())
            return inputError("'" + model + "': " + same.error().message);
        SeriesModel point;
        point.model = model;
        point.checkpoint.step = step;
        const auto done = arguments.metric.empty() ? addScore(context, arguments, *analysed, point)
                                                   : addMetric(context, arguments, *analysed, point);
        if (!done.has_value())
            return done.error();
        context.note("Step " + std::to_string(step) + ": " + number(point.value)
                     + (point.head.empty() ? "." : " (" + point.head + ")."));
        series.models.push_back(std::move(point));
        series.last = std::move(*analysed);
    }
    return series;
}

json describeSeries(const std::vector<SeriesModel>& points)
{
    json out = json::array();
    for (const SeriesModel& point : points) {
        json one = {
            {"model", point.model}, {"step", point.checkpoint.step}, {"value", point.value}, {"interval", json()}};
        if (point.interval)
            one["interval"] = {point.interval->low, point.interval->high};
        if (!point.head.empty())
            one["head"] = point.head;
        for (const auto& [head, value] : point.heads)
            one["heads"][head] = value;
        out.push_back(std::move(one));
    }
    return out;
}

AnalysisResult seriesResult(const std::vector<SeriesModel>& points, const std::string& provenance)
{
    AnalysisResult result{.table = {{"step", "value", "low", "high", "head"}}, .tensors = {}, .provenance = provenance};
    const auto count = static_cast<std::int64_t>(points.size()), heads = std::ssize(points.front().heads);
    NamedTensor steps{"series.step", {count}, {}}, values{"series.value", {count}, {}},
        all{"series.heads", {count, heads}, {}};
    for (const auto& [head, value] : points.front().heads)
        result.table.front().push_back(head);
    for (const SeriesModel& point : points) {
        result.table.push_back({std::to_string(point.checkpoint.step), number(point.value),
                                point.interval ? number(point.interval->low) : "",
                                point.interval ? number(point.interval->high) : "", point.head});
        for (const auto& [head, value] : point.heads) {
            result.table.back().push_back(number(value));
            all.values.push_back(static_cast<float>(value));
        }
        steps.values.push_back(static_cast<float>(point.checkpoint.step));
        values.values.push_back(static_cast<float>(point.value));
    }
    result.tensors = {std::move(steps), std::move(values)};
    if (heads > 0)
        result.tensors.push_back(std::move(all));
    return result;
}

bool isSeriesPicture(const std::string& path)
{
    return path.ends_with(".svg") || path.ends_with(".pdf") || path.ends_with(".png");
}

// What the session keeps of it.
sessions::AnalysisRecord recordOf(const Series& series, const std::string& what, const std::string& head)
{
    std::vector<app::Checkpoint> checkpoints;
    std::vector<app::SeriesPoint> points;
    for (const SeriesModel& one : series.models) {
        checkpoints.push_back(one.checkpoint);
        points.push_back(one);
    }
    return app::seriesRecord(series.last->asked(), checkpoints, what, head, points);
}

Result<void> drawSeries([[maybe_unused]] const sessions::AnalysisRecord& record,
                        [[maybe_unused]] const std::string& what, [[maybe_unused]] const std::string& model,
                        const std::string& path)
{
#ifdef HEADSCOPE_FIGURES
    return figures::writeCurves({figures::seriesCurves(record)}, what, "Headscope " HEADSCOPE_VERSION ", " + model,
                                path);
#else
    return inputError("'" + path
                      + "' is a picture, and this program was built without Qt; expected .csv or .safetensors.");
#endif
}

// A series is of one number.
Result<void> checkAsked(const SeriesArguments& arguments)
{
    const bool texts = !arguments.texts.empty(), task = !arguments.task.empty(), metric = !arguments.metric.empty();
    if (metric ? task && !overTexts(arguments) && arguments.metric != "retrieval" : !task || texts)
        return inputError(
            "A series is of one number; expected --metric NAME or --task TASK (both for --metric retrieval "
            "and for means over the prompts of a task).");
    if (arguments.metric == "retrieval" && !task)
        return inputError(
            "The retrieval score needs rows of a task; expected --task toy_kv or another whose prompts hold "
            "their answer.");
    if (texts && !survey::parseMetric(arguments.metric))
        return inputError("'" + arguments.metric + "' is measured on other tokens than texts; leave out --texts.");
    if (overTexts(arguments) && !texts && !task)
        return inputError("'" + arguments.metric
                          + "' is a mean over texts; expected --texts, or --task for its prompts.");
    return {};
}

Result<void> series(const Context& context, const SeriesArguments& arguments)
{
    std::vector<std::string> tables, pictures;
    for (const std::string& path : arguments.outputs)
        (isSeriesPicture(path) ? pictures : tables).push_back(path);
    if (const auto known = checkAnalysisPaths(tables); !known.has_value())
        return known;
    if (const auto asked = checkAsked(arguments); !asked.has_value())
        return asked;
    auto measured = measureSeries(context, arguments);
    if (!measured.has_value())
        return measured.error();
    const std::vector<SeriesModel>& points = measured->models;
    std::string what = arguments.metric.empty() ? arguments.task : arguments.metric;
    if (overTexts(arguments))
        what += " over "
                + (arguments.texts.empty() ? arguments.task : fs::path(arguments.texts.front()).filename().string());
    if (arguments.metric.empty() && !arguments.model.ablate.empty())
        what = "effect of the ablation on " + what;
    else if (!arguments.model.ablate.empty())
        what += ", with " + measured->last->set.canonical() + " ablated";
    const sessions::AnalysisRecord record = recordOf(*measured, what, arguments.head);
    if (const auto kept = measured->last->keep(record); !kept.has_value())
        return kept;
    if (!tables.empty())
        if (const auto written = writeAnalysis(tables, seriesResult(points, what)); !written.has_value())
            return written;
    for (const std::string& path : pictures)
        if (const auto drawn = drawSeries(record, what, points.back().model, path); !drawn.has_value())
            return drawn;
    const json reply = {{"what", what}, {"points", describeSeries(points)}, {"files", arguments.outputs}};
    if (context.json) {
        Context::print(reply);
        return {};
    }
    auto rows = seriesResult(points, what).table;
    for (std::vector<std::string>& row : rows)
        row.resize(5);
    printText("%s by training step\n\n%s\n", what.c_str(), textTable(rows).c_str());
    return {};
}

} // namespace

void addSeriesCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<SeriesArguments>();
    CLI::App* command = app.add_subcommand(
        "series", "follow a head metric, a score or the cost of an ablation through the checkpoints of a training run");
    command
        ->add_option("MODELS", arguments->models,
                     "checkpoints whose names end with their step (step-1000, ...), or a folder of such")
        ->required();
    option(*command, "--tokenizer", arguments->model.tokenizer);
    option(*command, "--ablate", arguments->model.ablate);
    option(*command, "--task", arguments->task, "task to score; with --ablate, the cost of the ablation on it");
    arguments->rows.addTo(*command, context);
    option(*command, "--metric", arguments->metric);
    option(*command, "--texts", arguments->texts,
           "measure the metric on these texts instead of repeated random tokens: .txt or .jsonl files, or folders of "
           "such; may be repeated");
    option(*command, "--head", arguments->head, "head to follow (default: the largest value of all heads)");
    option(*command, "--output", arguments->outputs, "output file: .csv .safetensors .svg .pdf .png; may be repeated");
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return series(context, *arguments); }; });
}

} // namespace headscope::cli
