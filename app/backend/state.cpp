// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/state.h"

#include "app/backend/ranking.h"
#include "app/notebook/tokenizerchoice.h"
#include "core/io/modelfolder.h"
#include "core/lm/device/threads.h"
#include "core/tasks/registry.h"
#include "core/tasks/toy/toy.h"

#include <algorithm>

namespace headscope::app {

namespace {

constexpr int kKvCurveLimit = 64; // examples a point of the curve; its error is at most 0.06

// The tasks that a person can ask of a model, told by whether its tokenizer can spell them.
void chooseBenchmarks(ModelSummary& summary, const text::Tokenizer& tokenizer)
{
    const auto toy = tasks::toyExamples("toy_kv:pairs=8", {.limit = 1});
    if (toy.has_value() && tokenizer.encode(toy->front().context, false).has_value()
        && tokenizer.vocabularySize() < 2000) {
        summary.benchmarks = {"toy_kv:pairs=4", "toy_kv:pairs=8", "toy_kv:pairs=16", "toy_mc", "toy_knowledge"};
        summary.unsuited = {"mmlu", "lambada_openai"};
        summary.kvSizes = {4, 8, 12, 16, 20, 24};
        summary.kvTask = "toy_kv";
    } else {
        summary.benchmarks = {"kv_retrieval:pairs=10", "mmlu", "knowledge", "lambada_openai"};
        summary.kvSizes = {10, 20, 30, 40, 50};
        summary.kvTask = "kv_retrieval";
    }
}

} // namespace

ModelSummary summaryOf(const lm::LoadedModel& loaded, const std::string& name, const std::string& path)
{
    const lm::ModelSpec& spec = loaded.model->spec();
    ModelSummary summary{.name = name,
                         .path = path,
                         .hash = loaded.contentHash,
                         .family = spec.family,
                         .dtype = loaded.dtype,
                         .device = loaded.device,
                         .parameters = spec.parameters,
                         .bytes = loaded.bytes,
                         .maxPositions = spec.maxPositions,
                         .warnings = loaded.warnings};
    for (const lm::LayerSpec& layer : spec.layers) {
        std::vector<MixerSummary> mixers;
        for (const lm::MixerSpec& mixer : layer.mixers)
            mixers.push_back({.kind = lm::name(mixer.kind),
                              .attention = mixer.kind == lm::MixerKind::Attention,
                              .channels = mixer.kind == lm::MixerKind::Mamba1,
                              .heads = mixer.heads,
                              .kvHeads = mixer.kvHeads,
                              .headDim = mixer.headDim,
                              .state = mixer.state,
                              .sharedBlock = mixer.sharedBlock});
        summary.layers.push_back(std::move(mixers));
    }
    return summary;
}

TokenizedPrompt tokenized(const text::Encoding& encoding)
{
    return {encoding.ids, encoding.tokens, encoding.offsets};
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

std::vector<Span> spansOf(const tasks::Example& example)
{
    std::vector<Span> spans;
    for (const tasks::Segment& segment : example.segments)
        spans.push_back({segment.role, segment.begin, segment.end, segment.target});
    return spans;
}

Result<std::vector<std::string>> Backend::State::openSession(const std::filesystem::path& file)
{
    m_session.reset();
    if (file.empty())
        return std::vector<std::string>{};
    auto session = sessions::SessionStore::open(file);
    if (!session.has_value())
        return session.error();
    m_session.emplace(std::move(*session));
    return m_session->notices();
}

Result<ModelSummary> Backend::State::openModel(Side side, const std::string& model, const Control& control)
{
    const auto folder = io::resolveModel(model, io::ModelPlaces::fromEnvironment(m_options.resources / "models"));
    if (!folder.has_value())
        return folder.error();
    m_patterns.erase(side);
    // The same model on both sides (before and after, two prompts) is loaded once and shares what is known about it.
    for (const auto& [other, there] : m_models)
        if (other != side && there->summary.path == folder->path.string()) {
            m_models[side] = there;
            return there->summary;
        }
    const auto tokenizer = openTokenizer(folder->path, {}, {}); // before memory is spent on weights
    if (!tokenizer.has_value())
        return tokenizer.error();
    auto loaded = lm::load(folder->path, {m_options.device, m_options.dtype}, control);
    if (!loaded.has_value())
        return loaded.error();
    auto opened = std::make_shared<Opened>();
    opened->tokenizer = *tokenizer;
    opened->subject = subjectOf(*loaded, folder->name, folder->path.string(), **tokenizer, engine::BosPolicy::Never);
    opened->summary = summaryOf(*loaded, folder->name, folder->path.string());
    chooseBenchmarks(opened->summary, **tokenizer);
    opened->scorer = std::make_unique<engine::Scorer>(loaded->model, *tokenizer);
    opened->loaded = std::move(*loaded);
    const ModelSummary summary = opened->summary;
    closeModel(side);
    m_models[side] = std::move(opened);
    return summary;
}

void Backend::State::closeModel(Side side)
{
    m_models.erase(side);
    m_patterns.erase(side);
    std::erase_if(m_rankings, [side](const auto& ranking) { return ranking.first.side == side; });
}

std::shared_ptr<RankJob> Backend::State::ranking(const RankRequest& request)
{
    std::shared_ptr<RankJob>& job = m_rankings[request];
    if (!job || !job->fits(*this))
        job = std::make_shared<RankJob>(request);
    return job;
}

Result<std::shared_ptr<Backend::Opened>> Backend::State::opened(Side side)
{
    const auto it = m_models.find(side);
    if (it == m_models.end())
        return inputError(std::string("No model is open as ") + (side == Side::A ? "A" : "B") + "; open one first.");
    lm::setThreadsFor(it->second->loaded.model->spec(), m_options.threads);
    return it->second;
}

Result<Prompt> Backend::State::sample(const std::string& task, int index)
{
    if (!m_tasks.contains(task)) {
        auto set = tasks::makeTask(task, {.dataFolder = m_options.dataFolder});
        if (!set.has_value())
            return set.error();
        m_tasks[task] = std::move(*set);
    }
    const auto& examples = m_tasks[task].examples;
    const int count = static_cast<int>(examples.size());
    if (count == 0)
        return inputError("The task '" + task + "' has no examples.");
    const int wrapped = ((index % count) + count) % count;
    const tasks::Example& example = examples[static_cast<std::size_t>(wrapped)];
    Prompt prompt{.text =
                      example.context.empty() && !example.contexts.empty() ? example.contexts.front() : example.context,
                  .spans = spansOf(example),
                  .task = task,
                  .sample = wrapped,
                  .samples = count};
    const auto gold = static_cast<std::size_t>(std::max(example.gold, 0));
    prompt.answer = gold < example.continuations.size() ? example.continuations[gold] : example.target;
    return prompt;
}

Result<std::shared_ptr<const engine::Benchmark>> Backend::State::benchmark(Opened& model, const std::string& task,
                                                                           int limit)
{
    auto& made = model.benchmarks[{task, limit}];
    if (made)
        return made;
    const bool curve = limit == 0 && !model.summary.kvTask.empty() && task.starts_with(model.summary.kvTask)
                       && std::find(model.summary.benchmarks.begin(), model.summary.benchmarks.end(), task)
                              == model.summary.benchmarks.end();
    tasks::TaskOptions options{.dataFolder = m_options.dataFolder};
    if (limit > 0 || curve)
        options.limit = limit > 0 ? limit : kKvCurveLimit;
    auto set = tasks::makeTask(task, options);
    if (!set.has_value())
        return set.error();
    auto benchmark = engine::Benchmark::make(std::move(*set), *model.scorer, *model.tokenizer, model.subject.bos);
    if (!benchmark.has_value())
        return benchmark.error();
    made = *benchmark;
    return made;
}

lm::DonorLoader Backend::State::donors(const Opened& model)
{
    return [this, &model](const std::string& name) -> Result<std::shared_ptr<const lm::Model>> {
        if (const auto it = m_donors.find(name); it != m_donors.end())
            return it->second;
        const auto folder = io::resolveModel(name, io::ModelPlaces::fromEnvironment(m_options.resources / "models"));
        if (!folder.has_value())
            return folder.error();
        auto loaded = lm::load(folder->path, {model.loaded.device, model.loaded.dtype});
        if (!loaded.has_value())
            return loaded.error();
        return m_donors[name] = loaded->model;
    };
}

Result<engine::Rows*> Backend::State::rows(Opened& model, const engine::Benchmark& benchmark,
                                           const interventions::InterventionSet& set,
                                           const std::function<void(const engine::Rows&)>& sink, const Control& control)
{
    const auto key = std::pair(&benchmark, set.canonical());
    if (!model.rows.contains(key))
        model.rows[key] = benchmark.emptyRows();
    engine::Rows& rows = model.rows[key];
    const bool complete = std::all_of(rows.outcomes.begin(), rows.outcomes.end(),
                                      [](const auto& outcome) { return outcome.has_value(); });
    if (!complete) {
        const auto heard = [&](int, const tasks::Outcome&, const tasks::RowResult&) {
            if (sink)
                sink(rows);
        };
        const auto run =
            evaluate(session(), model.subject, *model.scorer, benchmark, set, donors(model), rows, heard, control);
        if (!run.has_value())
            return run.error();
    }
    return &rows;
}

Result<engine::Rows> Backend::State::measure(Opened& model, const engine::Benchmark& benchmark,
                                             const interventions::InterventionSet& set, const Control& control)
{
    engine::Rows rows = benchmark.emptyRows();
    const auto run = benchmark.run(*model.scorer, set, {}, rows, {}, {control.stop, {}});
    return run.has_value() ? Result<engine::Rows>(std::move(rows)) : Result<engine::Rows>(run.error());
}

void Backend::State::setDataFolder(const std::filesystem::path& folder)
{
    m_options.dataFolder = folder;
    m_tasks.clear();
    m_rankings.clear();
    for (auto& [side, model] : m_models) {
        model->rows.clear();
        model->benchmarks.clear();
    }
}

} // namespace headscope::app
