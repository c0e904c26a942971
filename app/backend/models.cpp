// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/models.h"

#include "app/backend/scores/ranking.h"
#include "app/notebook/outsideinputs.h"
#include "app/workbench/heads/steeringdirections.h"
#include "app/workbench/scores/measure.h"
#include "app/workbench/scores/scoreboard.h"
#include "core/engine/pattern/patternreader.h"
#include "core/lm/device/threads.h"
#include "core/text/writtentext.h"

#include <algorithm>

namespace headscope::app {

namespace {

constexpr int kKvCurveLimit = 64;              // examples a point of the curve; its error is at most 0.06
constexpr std::int64_t kRunAhead = 20'000'000; // parameters; of smaller models a prompt takes no time
constexpr std::int64_t kStreams = std::int64_t{256} << 20;

void chooseBenchmarks(ModelSummary& summary, const text::Tokenizer& tokenizer, const tasks::TaskOptions& options)
{
    Scoreboard board = scoreboardOf(tokenizer, summary.maxPositions, options);
    summary.benchmarks = std::move(board.benchmarks);
    summary.kvTask = std::move(board.kvTask);
    summary.kvSizes = std::move(board.kvSizes);
}

// The task and, where that is a file, its state: what is kept of a file that a person has changed since is not used.
std::string versionOf(const std::string& task)
{
    std::error_code problem;
    if (!tasks::isTaskFile(task))
        return task;
    const auto time = std::filesystem::last_write_time(task, problem);
    return problem ? task : task + '\n' + std::to_string(time.time_since_epoch().count());
}

} // namespace

ModelSummary summaryOf(const lm::LoadedModel& loaded, const std::string& name, const std::string& path)
{
    const lm::ModelSpec& spec = loaded.model->spec();
    ModelSummary summary{.name = name,
                         .path = path,
                         .hash = loaded.contentHash,
                         .family = spec.family,
                         .packing = loaded.packing,
                         .dtype = loaded.dtype,
                         .device = loaded.device,
                         .parameters = spec.parameters,
                         .bytes = loaded.bytes,
                         .maxPositions = spec.maxPositions,
                         .warnings = loaded.warnings,
                         .lens = lensOfModel(path).string()};
    for (const lm::LayerSpec& layer : spec.layers) {
        std::vector<MixerSummary> mixers;
        for (const lm::MixerSpec& mixer : layer.mixers)
            mixers.push_back({.kind = lm::name(mixer.kind),
                              .attention = mixer.kind == lm::MixerKind::Attention,
                              .channels = mixer.channels(),
                              .heads = mixer.heads,
                              .kvHeads = mixer.kvHeads,
                              .headDim = mixer.headDim,
                              .state = mixer.state,
                              .sharedBlock = mixer.sharedBlock});
        summary.layers.push_back(std::move(mixers));
        summary.experts.push_back({layer.experts, layer.chosenExperts, layer.sharedExpert});
    }
    return summary;
}

PromptOrigin originOf(const Prompt& prompt)
{
    return !prompt.turns.empty() ? PromptOrigin::Conversation
           : prompt.task.empty() ? PromptOrigin::OwnText
                                 : PromptOrigin::TaskRow;
}

TokenizedPrompt tokenized(const std::string& text, const text::Encoding& encoding)
{
    return {encoding.ids, text::writtenTexts(text, encoding), encoding.tokens, encoding.offsets};
}

std::vector<Span> tokenSpans(const std::vector<Span>& bytes, const TokenizedPrompt& prompt)
{
    std::vector<Span> tokens;
    for (const Span& span : bytes) {
        std::optional<std::size_t> first;
        std::size_t last = 0;
        for (std::size_t t = 0; t < prompt.offsets.size(); ++t) {
            const auto [begin, end] = prompt.offsets[t];
            if (end > begin && begin < span.end && end > span.begin) {
                first = first.value_or(t);
                last = t + 1;
            }
        }
        if (first)
            tokens.push_back({span.role, *first, last, span.target});
    }
    return tokens;
}

std::vector<Span> spansOf(const std::vector<tasks::Segment>& segments)
{
    std::vector<Span> spans;
    for (const tasks::Segment& segment : segments)
        spans.push_back({segment.role, segment.begin, segment.end, segment.target});
    return spans;
}

Result<std::vector<std::string>> Models::openSession(const std::filesystem::path& file)
{
    m_session.reset();
    ++m_sessions;
    if (file.empty())
        return std::vector<std::string>{};
    auto session = sessions::SessionStore::open(file);
    if (!session.has_value())
        return session.error();
    m_session.emplace(std::move(*session));
    return m_session->notices();
}

Result<ModelSummary> Models::openModel(Side side, const ModelChoice& wanted, const Control& control)
{
    const auto found = findModel(wanted.model, m_options.resources);
    if (!found.has_value())
        return found.error();
    m_patterns.erase(side);
    // The same model on both sides (before and after, two prompts) is loaded once and shares what is known about it.
    const std::string path = found->place();
    Settings settings = m_options;
    if (!wanted.dtype.empty())
        settings.dtype = wanted.dtype;
    for (const auto& [other, there] : m_models)
        if (other != side && there->summary.path == path && !reopensModels(there->openedWith, settings)) {
            m_models[side] = there;
            return there->summary;
        }
    auto open = app::openModel(settings, m_options.resources,
                               {.model = wanted.model, .memoryTaken = memoryOfOtherSide(side), .keptBeside = kStreams},
                               control);
    if (!open.has_value())
        return open.error();
    auto opened = std::make_shared<Opened>(Opened{std::move(*open), settings});
    opened->summary = summaryOf(opened->loaded, opened->name, path);
    opened->summary.wantedType = wanted.dtype;
    opened->summary.warnings.insert(opened->summary.warnings.end(), opened->remarks.begin(), opened->remarks.end());
    if (m_session)
        if (const auto reason = newIdentity(*m_session, opened->loaded, opened->name);
            reason.has_value() && !reason->empty())
            opened->summary.warnings.push_back(*reason);
    if (auto chat = text::ChatTemplate::load(opened->folder); chat.has_value()) {
        opened->summary.roles = chat->roles();
        opened->chat = std::move(*chat);
    }
    opened->summary.keptLimit = keptBytes(*opened);
    chooseBenchmarks(opened->summary, *opened->tokenizer, taskOptions(m_options));
    const auto contentOf = [model = std::weak_ptr<Opened>(opened)](const interventions::InterventionSet& set) {
        const auto held = model.lock();
        return held ? outsideInputs(held->subject, set) : std::string();
    };
    opened->streams = std::make_shared<engine::StreamStore>(streamBytes(*opened), contentOf);
    const ModelSummary summary = opened->summary;
    closeModel(side);
    m_models[side] = std::move(opened);
    return summary;
}

std::int64_t Models::memoryOfOtherSide(Side side) const
{
    std::int64_t taken = 0;
    for (const auto& [other, model] : m_models)
        taken += other == side ? 0 : model->loaded.resident;
    return taken;
}

std::int64_t Models::keptBytes(const Opened& model) const
{
    const std::int64_t most = engine::ScorerOptions().cacheBytes;
    const std::int64_t room = m_options.memory - model.loaded.resident - model.memoryTaken;
    return m_options.memory > 0 ? std::clamp<std::int64_t>(room, 0, most) : most;
}

void Models::rest()
{
    for (const auto& [side, model] : m_models)
        model->scorer->rest();
}

// Of a limit an eighth of what the weights leave.
std::int64_t Models::streamBytes(const Opened& model) const
{
    return m_options.memory > 0 ? std::min(keptBytes(model) / 8, kStreams) : kStreams;
}

void Models::closeModel(Side side)
{
    m_models.erase(side);
    m_patterns.erase(side);
    std::erase_if(m_rankings, [side](const auto& ranking) { return ranking.first.side == side; });
}

std::shared_ptr<RankJob> Models::ranking(const RankRequest& request)
{
    std::shared_ptr<RankJob>& job = m_rankings[request];
    if (!job || !job->fits(*this))
        job = std::make_shared<RankJob>(request);
    return job;
}

Result<std::shared_ptr<Opened>> Models::opened(Side side)
{
    const auto it = m_models.find(side);
    if (it == m_models.end())
        return inputError(std::string("No model is open as ") + (side == Side::A ? "A" : "B") + "; open one first.");
    lm::setThreadsFor(it->second->loaded.model->spec(), m_options.threads);
    return it->second;
}

Result<const tasks::TaskSet*> Models::taskSet(const std::string& task, const Opened* model)
{
    const tasks::OwnModel own = model ? tasks::ownModelOf(*model->tokenizer) : tasks::OwnModel::None;
    const std::pair key(versionOf(task), own);
    if (!m_tasks.contains(key)) {
        tasks::TaskOptions options = taskOptions(m_options);
        options.limit = {}; // of what is scored, not of what is looked at
        auto set = model ? tasks::makeTask(task, options, *model->tokenizer) : tasks::makeTask(task, options);
        if (!set.has_value())
            return set.error();
        m_tasks[key] = std::move(*set);
    }
    return &m_tasks[key];
}

Result<text::Encoding> Models::encode(const Opened& model, const Prompt& prompt)
{
    if (prompt.task.empty())
        return encodePrompt(model, prompt.text, originOf(prompt));
    const auto set = taskSet(prompt.task, &model);
    if (!set.has_value())
        return set.error();
    const int last = static_cast<int>((*set)->examples.size()) - 1;
    return encodePrompt(model, prompt.text, originOf(**set, std::clamp(prompt.sample, 0, std::max(last, 0))));
}

Result<ReadPrompt> Models::read(Side side, const Prompt& prompt)
{
    auto model = opened(side);
    if (!model.has_value())
        return model.error();
    auto encoding = encode(**model, prompt);
    if (!encoding.has_value())
        return encoding.error();
    return ReadPrompt{std::move(*model), std::move(*encoding)};
}

Result<Prompt> Models::sample(const std::string& task, int index)
{
    const auto set = taskSet(task, m_models.empty() ? nullptr : m_models.begin()->second.get());
    if (!set.has_value())
        return set.error();
    const int count = static_cast<int>((*set)->examples.size());
    if (count == 0)
        return inputError("The task '" + task + "' has no examples.");
    const int wrapped = ((index % count) + count) % count;
    const auto asked = promptOf(**set, wrapped);
    if (!asked.has_value())
        return asked.error();
    return Prompt{.text = asked->text,
                  .spans = spansOf(asked->segments),
                  .task = task,
                  .sample = wrapped,
                  .samples = count,
                  .answer = asked->answer};
}

Result<std::shared_ptr<const engine::Benchmark>> Models::benchmark(Opened& model, const std::string& task, int limit)
{
    auto& made = model.benchmarks[{versionOf(task), limit}];
    if (made)
        return made;
    const bool curve = limit == 0 && !model.summary.kvTask.empty() && task.starts_with(model.summary.kvTask)
                       && std::find(model.summary.benchmarks.begin(), model.summary.benchmarks.end(), task)
                              == model.summary.benchmarks.end();
    tasks::TaskOptions options = taskOptions(m_options);
    if (limit > 0 || curve)
        options.limit = limit > 0 ? limit : kKvCurveLimit;
    auto set = tasks::makeTask(task, options);
    if (!set.has_value())
        return set.error();
    auto benchmark = makeBenchmark(model, std::move(*set), m_options.boundary);
    if (!benchmark.has_value())
        return benchmark.error();
    made = *benchmark;
    return made;
}

const engine::MergedRows& Models::merged(Opened& model, const std::shared_ptr<const engine::Benchmark>& benchmark,
                                         const std::string& task)
{
    const auto [known, fresh] = model.merged.try_emplace({benchmark.get(), task});
    if (fresh)
        known->second = engine::mergedRows(benchmark->set(), task, *model.tokenizer, model.subject.bos);
    return known->second;
}

Result<std::shared_ptr<KnownRows>> Models::begun(Opened& model,
                                                 const std::shared_ptr<const engine::Benchmark>& benchmark,
                                                 const interventions::InterventionSet& set, const RowSink& sink)
{
    const std::shared_ptr<KnownRows> known = model.rows.of(benchmark, stateIdentity(model.subject, set));
    // A job may still run a model that no side has any more, with an evaluation begun in a session that is closed.
    if (!known->evaluation || known->session != m_sessions) {
        known->evaluation.reset();
        auto begun = Evaluation::begin(session(), model.subject, *benchmark, set, known->rows, sink);
        if (!begun.has_value())
            return begun.error();
        known->evaluation = std::move(*begun);
        known->session = m_sessions;
    }
    return known;
}

Result<std::shared_ptr<engine::Rows>> Models::known(Opened& model,
                                                    const std::shared_ptr<const engine::Benchmark>& benchmark,
                                                    const interventions::InterventionSet& set, const RowSink& sink)
{
    const auto known = begun(model, benchmark, set, sink);
    return known.has_value() ? Result(std::shared_ptr<engine::Rows>(*known, &(*known)->rows))
                             : Result<std::shared_ptr<engine::Rows>>(known.error());
}

Result<void> Models::run(Opened& model, const std::shared_ptr<const engine::Benchmark>& benchmark,
                         const interventions::InterventionSet& set, const std::vector<bool>& only, const RowSink& sink,
                         const Control& control)
{
    const auto known = begun(model, benchmark, set, sink);
    if (!known.has_value())
        return known.error();
    engine::Rows& rows = (*known)->rows;
    const bool complete = std::ranges::all_of(rows.outcomes, [](const auto& outcome) { return outcome.has_value(); });
    return complete ? Result<void>()
                    : (*known)->evaluation->run(*model.scorer, model.donors, rows, sink, control, only);
}

void Models::runAhead(Side side, const Prompt& prompt, const interventions::InterventionSet& ablation)
{
    const auto model = opened(side);
    if (!model.has_value() || (*model)->spec().parameters < kRunAhead)
        return;
    if (const auto before = m_ahead.find(side); before != m_ahead.end())
        m_worker.cancel(before->second);
    auto encoding = encode(**model, prompt);
    if (!encoding.has_value())
        return;
    auto reader = engine::PatternReader::open((*model)->loaded.model, std::move(encoding->ids), {.ablation = ablation},
                                              (*model)->donors, (*model)->streams);
    if (!reader.has_value())
        return;
    // What it fails at fails again for whoever asks for it, and is told to him.
    m_ahead[side] = m_worker.postSteps(
        engine::Urgency::Preview,
        [open = *model, held = std::make_shared<engine::PatternReader>(std::move(*reader)),
         layer = 0](const engine::Turn& turn) mutable {
            const bool ran = held->goTo(++layer, turn).has_value();
            return ran && layer < static_cast<int>(open->spec().layers.size()) ? engine::Next::Again
                                                                               : engine::Next::End;
        },
        [](const Error&) {});
}

void Models::setSettings(const Settings& settings)
{
    static_cast<Settings&>(m_options) = settings;
    m_tasks.clear();
    m_rankings.clear();
    m_patterns.clear();
    for (auto& [side, model] : m_models) {
        model->startToken = settings.startToken;
        model->subject.bos = startOf(settings.startToken, PromptOrigin::TaskRow);
        model->subject.textBos = startOf(settings.startToken, PromptOrigin::OwnText);
        connectDirections(*model);
        model->rows.clear();
        model->scorer->dropCache(); // of benchmarks that are no more
        model->benchmarks.clear();
        model->merged.clear();
    }
}

std::shared_ptr<Models> makeModels(ModelsOptions options)
{
    return std::make_shared<Models>(std::move(options));
}

void closeModel(Models& models, Side side)
{
    models.closeModel(side);
}

void setSettings(Models& models, const Settings& settings)
{
    models.setSettings(settings);
}

void setPatience(Models& models, std::chrono::seconds patience)
{
    models.setPatience(patience);
}

void setDataFolder(Models& models, const std::filesystem::path& folder)
{
    Settings settings = models.options();
    settings.dataFolder = folder;
    models.setSettings(settings);
}

engine::Worker& workerOf(Models& models)
{
    return models.worker();
}

} // namespace headscope::app
