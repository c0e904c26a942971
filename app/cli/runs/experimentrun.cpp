// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/experimentrun.h"

#include "app/cli/runs/promptrun.h"
#include "app/cli/runs/rankrun.h"
#include "app/notebook/analysisquestion.h"
#include "app/notebook/evaluation.h"
#include "app/workbench/scores/measure.h"
#include "core/base/elapsed.h"
#include "core/base/hash.h"
#include "core/experiments/evidence/evidence.h"
#include "core/io/mapping.h"
#include "core/io/pathlist.h"
#include "core/io/safetensors/checkpoint.h"
#include "core/lm/device/device.h"
#include "core/train/models/distill.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>

namespace headscope::cli {

using experiments::Bench;
using experiments::Experiment;
using experiments::Lab;
using experiments::LabSettings;
using interventions::InterventionSet;

namespace {

using Clock = std::chrono::steady_clock;

/// "2026-01-31T09:30:00Z"
std::string timestamp()
{
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// The functions keep the model alive.
std::shared_ptr<Bench> benchOf(const Context& context, const std::shared_ptr<OpenModel>& open, ExamplesScored& scored)
{
    auto bench = std::make_shared<Bench>();
    bench->name = open->name;
    bench->folder = open->folder.string();
    bench->provenance = open->provenance();
    bench->model = open->loaded.model;
    bench->tokenizer = open->tokenizer;
    bench->scorer = open->scorer.get();
    bench->donors = open->donors;
    bench->bos = open->subject.bos;
    bench->prepare = sharedRound(context, *open, "removing one head after the other");
    bench->measure = [&context, open, &scored](const engine::Benchmark& benchmark, const InterventionSet& set,
                                               const Control& control) -> Result<engine::Rows> {
        engine::Rows rows = benchmark.emptyRows();
        auto begun = app::Evaluation::begin(open->store(), open->subject, benchmark, set, rows, {});
        if (!begun.has_value())
            return begun.error();
        const auto known =
            std::ranges::count_if(rows.outcomes, [](const auto& outcome) { return outcome.has_value(); });
        scored.all += std::ssize(rows.outcomes);
        scored.known += known;
        if (open->store() && known < std::ssize(rows.outcomes)) {
            app::SharedWork work(*open, *open->store(), benchmark, {set});
            if (const auto shared =
                    work.run(benchmark.set().name, control, [&](const std::string& line) { context.note(line); });
                !shared.has_value())
                return shared.error();
            rows = benchmark.emptyRows();
            begun = app::Evaluation::begin(open->store(), open->subject, benchmark, set, rows, {});
            if (!begun.has_value())
                return begun.error();
        }
        const auto done = begun->run(*open->scorer, open->donors, rows, {}, control);
        return done.has_value() ? Result<engine::Rows>(std::move(rows)) : Result<engine::Rows>(done.error());
    };
    bench->known = [open](const engine::Benchmark& benchmark, const InterventionSet& set) {
        if (!open->store())
            return std::int64_t{0};
        const auto known = app::Evaluation::known(*open->store(), open->subject, benchmark, set);
        return known.has_value() ? static_cast<std::int64_t>(std::ranges::count(*known, true))
                                 : 0; // a session that cannot be read is reported where it is needed
    };
    bench->keepRanking = [open](const engine::Benchmark& benchmark, const InterventionSet& fixed,
                                const std::vector<engine::RankedHead>& heads) {
        return rememberRanking(*open, benchmark, fixed, {.method = "exact", .heads = heads});
    };
    return bench;
}

/// Where students lie that were made before: below the output folder, or in the program's cache.
Result<std::filesystem::path> studentsFolder(const std::string& output)
{
    if (!output.empty())
        return std::filesystem::path(output) / "models";
    const std::filesystem::path cache = io::cacheFolder();
    if (cache.empty()) // a folder that everybody may write to could hold another's student
        return ioError("There is no folder for distilled students: expected HOME or XDG_CACHE_HOME in the environment, "
                       "or an output folder (--output).");
    return cache / "students";
}

/// Seconds a token of whole passes, from the first small batch of one benchmark; 0 where nothing can be timed.
Result<double> secondsPerToken(Bench& bench, const Control& control)
{
    for (const auto& [task, benchmark] : bench.benchmarks) {
        const engine::Workload& workload = benchmark->workload();
        if (workload.batches().empty())
            continue;
        std::vector<bool> only(workload.examples().size());
        std::int64_t tokens = 0;
        for (const auto& member : workload.batches().front().members) {
            only[static_cast<std::size_t>(member.example)] = true;
            tokens += static_cast<std::int64_t>(workload.sequence(member).ids.size());
        }
        const engine::OutcomeSink nothing = [](int, const tasks::Outcome&) {};
        const std::shared_ptr<const engine::Workload> shared(benchmark, &workload);
        const auto start = Clock::now();
        const auto done = bench.scorer->score(shared, {}, bench.donors, nothing, {control.stop, {}}, only);
        return done.has_value()
                   ? Result<double>(secondsSince(start) / static_cast<double>(std::max<std::int64_t>(tokens, 1)))
                   : Result<double>(done.error());
    }
    return 0.0;
}

Result<void> keepReport(const Context& context, const experiments::Report& report)
{
    if (context.session.empty() || report.table.rows.empty())
        return {};
    auto session = sessions::SessionStore::open(context.session, waitingForWriters(context));
    if (!session.has_value())
        return session.error();
    const Experiment& study = *report.experiment;
    if (!study.study.empty())
        if (const auto kept = session->setUiState(experiments::kStudies + study.id, study.study); !kept.has_value())
            return kept;
    const std::string key = experiments::reportKey(report.experiment->id, report.models);
    const auto before = session->uiState(key);
    if (!before.has_value())
        return before.error();
    if (*before) {
        const auto stored = experiments::parseReport(**before);
        const bool complete = stored.has_value() && stored->complete;
        if (complete && !report.complete) {
            context.note(
                "The session keeps the finished run from before; the rows of this one are not stored as a table.");
            return {};
        }
        const auto settings = [](const experiments::Report& one) {
            return fmt::format("{} {} {} {}", one.settings.seed, one.settings.limit.value_or(-1),
                               fmt::join(one.measuredOn, "\n"), fmt::join(one.hashes, " "));
        };
        if (complete && settings(*stored) != settings(report))
            if (const auto beside =
                    session->setUiState(key + "~" + sha256Hex(settings(*stored)).substr(0, 12), **before);
                !beside.has_value())
                return beside;
    }
    return session->setUiState(key, toJson(report));
}

} // namespace

Result<train::StudentShape> studentShape(const lm::ModelSpec& spec, const std::vector<interventions::HeadRef>& kept,
                                         int state, int taps)
{
    train::StudentShape shape{.kept = std::vector<std::vector<int>>(spec.layers.size()), .state = state, .taps = taps};
    for (const interventions::HeadRef& head : kept) {
        const auto mixer = lm::findMixer(spec, head);
        if (!mixer.has_value())
            return mixer.error();
        if ((*mixer)->kind != lm::MixerKind::Attention || head.head < 0)
            return inputError("The head " + interventions::toText(head)
                              + " cannot be kept; expected single attention heads.");
        auto& heads = shape.kept[static_cast<std::size_t>(head.layer)];
        heads.insert(std::upper_bound(heads.begin(), heads.end(), head.head), head.head);
        heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
    }
    return shape;
}

Laboratory::Laboratory(const Context& context, ExperimentArguments arguments, Control control)
    : m_context(context), m_arguments(std::move(arguments)), m_control(std::move(control))
{
}

Result<std::shared_ptr<Bench>> Laboratory::open(const std::string& model)
{
    if (const auto found = m_benches.find(model); found != m_benches.end())
        return found->second;
    auto opened = openModel(m_context, {.model = model, .tokenizer = m_arguments.tokenizer}, m_context.session);
    if (!opened.has_value())
        return opened.error();
    const auto open = std::make_shared<OpenModel>(std::move(*opened));
    m_open[open->name] = open;
    return m_benches[model] = benchOf(m_context, open, m_scored);
}

LabSettings Laboratory::settings(const Experiment& experiment) const
{
    std::vector<std::string> models = m_arguments.models;
    for (const std::string& model : models.empty() ? experiment.models : std::vector<std::string>()) {
        if (m_context.modelFolder(model).has_value())
            models.push_back(model);
        else
            m_context.note("The model " + model + " is not in this build's resources and is left out.");
    }
    tasks::TaskOptions options = m_arguments.task.options(m_context);
    if (m_limit)
        options.limit = m_limit;
    if (!options.limit && experiment.examples > 0)
        options.limit = experiment.examples;
    return {.models = std::move(models),
            .tasks = std::move(options),
            .seed = m_context.settings.seed,
            .distil = [this](const experiments::DistillRequest& request, const Control& control) {
                return distil(request, control);
            }};
}

Result<std::string> Laboratory::distil(const experiments::DistillRequest& request, const Control& control) const
{
    if (const auto teacher = m_open.find(request.teacher.name);
        teacher != m_open.end() && !teacher->second->loaded.adapter.empty())
        return inputError(
            "A student takes the weights of its teacher's folder, which an adapter does not change; merge "
            "the adapter into the weights first.");
    const auto shape = studentShape(request.teacher.spec(), request.kept, request.state, 4);
    if (!shape.has_value())
        return shape.error();
    const auto device = lm::parseDevice(m_context.settings.device);
    if (!device.has_value())
        return device.error();
    const int steps = m_arguments.distillSteps;
    // Everything that decides a student is in its name, so that one made before is taken only for the same.
    std::string heads;
    for (const auto& head : request.kept)
        heads += interventions::toText(head);
    const auto checkpoint = io::Checkpoint::open(request.teacher.folder);
    if (!checkpoint.has_value())
        return checkpoint.error();
    const auto content = (*checkpoint)->contentHash(control);
    if (!content.has_value())
        return content.error();
    const std::string name = request.teacher.name + (heads.empty() ? "-ssm" : "-" + heads) + "-state"
                             + std::to_string(request.state) + (request.alignedOnly ? "-aligned" : "") + "-"
                             + sha256Hex(*content + fmt::format("{} {}", m_context.settings.seed, steps)).substr(0, 8);
    const auto students = studentsFolder(m_arguments.folder);
    if (!students.has_value())
        return students.error();
    const std::filesystem::path folder = *students / name;
    if (const auto intact = io::intact(**checkpoint); !intact.has_value())
        return intact.error();
    std::error_code ignored;
    if (std::filesystem::exists(folder / "README.md", ignored)) // written last
        return folder.string();
    train::DistillOptions options{.orientation = {steps, 1e-2},
                                  .hidden = {steps, 5e-3},
                                  .logits = {steps, 2e-3},
                                  .seed = m_context.settings.seed,
                                  .device = *device};
    if (request.alignedOnly) {
        options.logits.steps = 0;
    } else {
        const auto aligned = distil({.teacher = request.teacher, .state = request.state, .alignedOnly = true}, control);
        if (!aligned.has_value())
            return aligned;
        options.start = *aligned;
        options.orientation.steps = options.hidden.steps = 0;
    }
    m_context.note("distilling " + name);
    const auto made = train::distill(request.teacher.folder, *shape, options, folder, control,
                                     [this](const std::string& line) { m_context.note(line); });
    return made.has_value() ? Result<std::string>(folder.string()) : Result<std::string>(made.error());
}

// Benchmarks that were made ready are of another number of rows.
void Laboratory::setLimit(std::optional<double> limit)
{
    if (limit != m_limit)
        for (const auto& [model, bench] : m_benches)
            bench->benchmarks.clear();
    m_limit = limit;
}

Result<Forecast> Laboratory::planned(const Experiment& experiment, std::optional<double> limit)
{
    setLimit(limit);
    LabSettings settings = this->settings(experiment);
    if (settings.models.empty())
        return inputError("None of the models of experiment '" + experiment.id
                          + "' is here; expected --model with one of your own.");
    settings.planning = true;
    Lab lab(experiment, settings, [this](const std::string& model) { return open(model); }, {}, {m_control.stop, {}});
    if (const auto done = experiment.run(lab); !done.has_value())
        return done.error();
    Forecast forecast{.plan = lab.plan(), .limit = lab.settings().tasks.limit};
    for (const std::string& model : lab.models()) {
        const auto opened = m_benches.find(model);
        if (opened == m_benches.end()) // left out
            continue;
        const auto speed = secondsPerToken(*opened->second, m_control);
        if (!speed.has_value())
            return speed.error();
        forecast.seconds = std::max(forecast.seconds, *speed * forecast.plan.tokens);
    }
    return forecast;
}

Result<std::vector<DividedWork>> Laboratory::divided(const Experiment& experiment, const app::WorkPart& part)
{
    const auto plan = planned(experiment, {});
    if (!plan.has_value())
        return plan.error();
    std::vector<DividedWork> works;
    for (const experiments::Plan::States& states : plan->plan.independent)
        works.push_back(dividedStates(m_context, *m_open.at(states.model), states.benchmark, states.sets, part));
    if (works.empty())
        return inputError("Experiment '" + experiment.id
                          + "' cannot be divided into parts: it scores no benchmark of which the states are known "
                            "before it begins; leave out --part.");
    return works;
}

Result<Forecast> Laboratory::forecast(const Experiment& experiment)
{
    auto best = planned(experiment, {});
    if (!best.has_value() || m_arguments.minutes <= 0 || best->seconds <= 60 * m_arguments.minutes)
        return best;
    // The speed was measured once; fewer examples take as much less as they have fewer tokens.
    const double perToken = best->seconds / std::max(best->plan.tokens, 1.0);
    for (const double limit : {512.0, 256.0, 128.0, 64.0, static_cast<double>(experiments::kLeastRows)}) {
        auto fewer = planned(experiment, limit);
        if (!fewer.has_value())
            return fewer;
        if (fewer->plan.tokens >= best->plan.tokens)
            continue; // the usual number is smaller
        fewer->seconds = perToken * fewer->plan.tokens;
        best = std::move(fewer);
        if (best->seconds <= 60 * m_arguments.minutes)
            break;
    }
    setLimit(best->limit);
    return best;
}

Result<experiments::Report> Laboratory::run(const Experiment& experiment,
                                            const std::function<void(const experiments::Table&)>& sink)
{
    const auto start = Clock::now();
    std::unique_ptr<Lab> lab;
    const auto streamed = [&](const experiments::Row&) {
        if (sink)
            sink(lab->table());
    };
    lab = std::make_unique<Lab>(
        experiment, settings(experiment), [this](const std::string& model) { return open(model); }, streamed,
        m_control);
    m_scored = {};
    const auto done = experiment.run(*lab);
    experiments::Report report = reportOf(experiment, *lab);
    report.complete = done.has_value();
    for (const auto& [model, bench] : m_benches)
        bench->scorer->dropCache();
    if (const auto kept = keepPictures(lab->pictures()); !kept.has_value())
        return kept.error();
    report.finding = report.table.rows.empty() ? "" : experiment.finding(report.table);
    report.seconds = secondsSince(start);
    if (const auto kept = keepReport(m_context, report); !kept.has_value())
        return kept.error();
    return done.has_value() ? Result<experiments::Report>(std::move(report))
                            : Result<experiments::Report>(done.error());
}

experiments::Report Laboratory::reportOf(const Experiment& experiment, const Lab& lab) const
{
    experiments::Report report{.experiment = &experiment,
                               .models = lab.models(),
                               .settings = {HEADSCOPE_VERSION, lab.settings().seed, lab.settings().tasks.limit},
                               .table = lab.table(),
                               .notes = lab.notes(),
                               .examples = m_scored.all,
                               .known = m_scored.known,
                               .finished = timestamp()};
    for (const std::string& model : lab.models())
        if (const auto found = m_benches.find(model); found != m_benches.end()) {
            report.measuredOn.push_back(found->second->provenance);
            report.hashes.push_back(m_open.at(found->second->name)->subject.model.hash);
        }
    return report;
}

Result<void> Laboratory::keepPictures(const std::vector<experiments::Picture>& pictures)
{
    m_pictures.clear();
    for (const experiments::Picture& picture : pictures) {
        OpenModel& open = *m_open.at(picture.model);
        const tasks::LeafTask leaf{.name = picture.example.task, .pairing = picture.pairing, .end = 1};
        const tasks::TaskSet set{.examples = {picture.example}, .leaves = {leaf}};
        const auto prompt = promptOfExample(open, set, 0);
        if (!prompt.has_value())
            return prompt.error();
        const lm::MixerKind kind =
            open.spec().layers[static_cast<std::size_t>(picture.head.layer)].find(picture.head.site)->kind;
        figures::PatternPicture drawn{
            .matrix = picture.matrix, .tokens = prompt->tokens, .ids = prompt->ids, .segments = prompt->segments};
        drawn.head = headName(open.spec(), picture.head);
        const analysis::MatrixConvention convention = conventionOf(kind, false);
        drawn.meaning = analysis::describe(convention);
        drawn.isSigned = !analysis::rowsSumToOne(convention);
        drawn.title = open.name + ", " + picture.role + " head " + drawn.head;
        drawn.provenance = open.provenance() + ", " + prompt->source + ", nothing ablated";
        if (open.session) {
            const interventions::InterventionSet nothing;
            if (const auto stored = open.remember(nothing); !stored.has_value())
                return stored;
            const auto stored = open.session->putPattern(
                {.modelHash = open.subject.model.hash,
                 .dtype = open.subject.dtype,
                 .head = drawn.head,
                 .convention = convention,
                 .prompt = prompt->text,
                 .tokens = prompt->tokens,
                 .values = picture.matrix,
                 .inputs = app::patternInputs({open.subject, open.spec(), *open.tokenizer, nothing}, prompt->ids)});
            if (!stored.has_value())
                return stored.error();
        }
        m_pictures.push_back(std::move(drawn));
    }
    return {};
}

} // namespace headscope::cli
