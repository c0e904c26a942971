// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/backend.h"

#include "app/backend/scoring.h"
#include "app/backend/state.h"
#include "core/analysis/patternscores.h"
#include "core/engine/patterns.h"
#include "core/engine/rank.h"

#include <optional>

namespace headscope::app {

using interventions::InterventionSet;

namespace {

std::string titleOf(const lm::MixerSpec& mixer)
{
    switch (mixer.kind) {
    case lm::MixerKind::Attention: return "softmax attention (rows sum to 1)";
    case lm::MixerKind::Mamba1: return "hidden attention of a channel, with D (signed, rows do not sum to 1)";
    default: return "hidden attention, with D (signed, rows do not sum to 1)";
    }
}

std::vector<analysis::TokenSegment> gatherSegments(const std::vector<Span>& spans)
{
    // A value or an option ends a segment that begins with the key or letter before it.
    std::vector<analysis::TokenSegment> segments;
    int begin = -1;
    for (const Span& span : spans) {
        if (span.role == "key")
            begin = static_cast<int>(span.begin);
        if (span.role != "value" && span.role != "option")
            continue;
        segments.push_back({begin >= 0 ? begin : static_cast<int>(span.begin), static_cast<int>(span.end), span.target});
        begin = -1;
    }
    return segments;
}

Result<std::vector<PatternReply>> patternsOf(Backend::State& state, Slot slot, const Prompt& prompt, const interventions::HeadRef& head,
                                             const std::string& ablation, const Control& control)
{
    const auto model = state.opened(slot);
    if (!model.has_value())
        return model.error();
    const auto set = InterventionSet::parse(ablation);
    if (!set.has_value())
        return set.error();
    const auto encoding = (*model)->tokenizer->encode(prompt.text, true);
    if (!encoding.has_value())
        return encoding.error();
    const lm::Model& network = *(*model)->loaded.model;
    const auto captured = engine::patterns(network, encoding->ids, {head}, {.ablation = *set}, state.donors(**model), control);
    if (!captured.has_value())
        return captured.error();
    std::vector<PatternReply> replies;
    for (const engine::HeadPattern& pattern : *captured) {
        const auto mixer = lm::findMixer(network.spec(), pattern.head);
        PatternReply reply{.head = toText(pattern.head), .ablation = ablation, .probability = (*mixer)->kind == lm::MixerKind::Attention, .title = titleOf(**mixer)};
        reply.prompt = tokenized(*encoding);
        reply.spans = tokenSpans(prompt.spans, reply.prompt);
        reply.matrix = pattern.matrix;
        const auto segments = gatherSegments(reply.spans);
        reply.gatherScore = analysis::gatherScore(reply.matrix, segments);
        reply.aggregateScore = analysis::aggregateScore(reply.matrix, segments);
        replies.push_back(std::move(reply));
    }
    return replies;
}

HeadValue valueOf(const lm::ModelSpec& spec, const engine::RankedHead& ranked)
{
    const auto mixer = lm::findMixer(spec, ranked.head);
    return {ranked.head.layer, (*mixer)->kind == lm::MixerKind::Attention, ranked.head.head, toText(ranked.head), ranked.value, ranked.delta,
            ranked.interval.low, ranked.interval.high};
}

} // namespace

Backend::Backend(BackendOptions options) : m_state(std::make_unique<State>(std::move(options))) {}

Backend::~Backend() = default;

template <typename T>
Ticket Backend::post(bool background, std::function<Result<T>(State&, const Control&)> work, Reply<T> done, Failed failed, Report report)
{
    State* state = m_state.get();
    auto job = [state, work = std::move(work), done = std::move(done), failed](const Control& control) {
        auto result = work(*state, control);
        if (result.has_value())
            done(std::make_shared<const T>(std::move(*result)));
        else
            failed(result.error());
    };
    return state->m_worker.post(background ? engine::Priority::Background : engine::Priority::Foreground, std::move(job), failed, std::move(report));
}

Ticket Backend::openSession(const std::filesystem::path& file, Reply<std::vector<std::string>> done, Failed failed)
{
    return post<std::vector<std::string>>(false, [file](State& state, const Control&) { return state.openSession(file); }, std::move(done), std::move(failed));
}

Ticket Backend::openModel(Slot slot, const std::string& model, Reply<ModelSummary> done, Failed failed, Report report)
{
    return post<ModelSummary>(
        false, [slot, model](State& state, const Control& control) { return state.openModel(slot, model, control); }, std::move(done), std::move(failed),
        std::move(report));
}

void Backend::closeModel(Slot slot)
{
    post<bool>(
        false,
        [slot](State& state, const Control&) -> Result<bool> {
            state.closeModel(slot);
            return true;
        },
        [](const std::shared_ptr<const bool>&) {}, [](const Error&) {});
}

Ticket Backend::sample(const std::string& task, int index, Reply<Prompt> done, Failed failed)
{
    return post<Prompt>(false, [task, index](State& state, const Control&) { return state.sample(task, index); }, std::move(done), std::move(failed));
}

Ticket Backend::tokenize(Slot slot, const std::string& text, Reply<TokenizedPrompt> done, Failed failed)
{
    return post<TokenizedPrompt>(
        false,
        [slot, text](State& state, const Control&) -> Result<TokenizedPrompt> {
            const auto model = state.opened(slot);
            if (!model.has_value())
                return model.error();
            const auto encoding = (*model)->tokenizer->encode(text, true);
            if (!encoding.has_value())
                return encoding.error();
            if (const auto fits = engine::checkPrompt(*(*model)->loaded.model, encoding->ids); !fits.has_value())
                return fits.error();
            return tokenized(*encoding);
        },
        std::move(done), std::move(failed));
}

Ticket Backend::pattern(Slot slot, const Prompt& prompt, const std::string& head, const std::string& ablation, Reply<PatternReply> done, Failed failed)
{
    return post<PatternReply>(
        false,
        [=](State& state, const Control& control) -> Result<PatternReply> {
            const auto ref = interventions::parseHead(head);
            if (!ref.has_value())
                return ref.error();
            auto replies = patternsOf(state, slot, prompt, *ref, ablation, control);
            if (!replies.has_value())
                return replies.error();
            return std::move(replies->front());
        },
        std::move(done), std::move(failed));
}

Ticket Backend::layerPatterns(Slot slot, const Prompt& prompt, int layer, const std::string& ablation, Reply<std::vector<PatternReply>> done, Failed failed)
{
    return post<std::vector<PatternReply>>(
        false, [=](State& state, const Control& control) { return patternsOf(state, slot, prompt, {layer, lm::Site::Any, -1}, ablation, control); },
        std::move(done), std::move(failed));
}

Ticket Backend::nextTokens(Slot slot, const Prompt& prompt, const std::string& ablation, Reply<NextTokenReply> done, Failed failed)
{
    return post<NextTokenReply>(
        false,
        [=](State& state, const Control&) -> Result<NextTokenReply> {
            const auto model = state.opened(slot);
            if (!model.has_value())
                return model.error();
            const auto set = InterventionSet::parse(ablation);
            if (!set.has_value())
                return set.error();
            const auto encoding = (*model)->tokenizer->encode(prompt.text, true);
            if (!encoding.has_value())
                return encoding.error();
            const auto tokens = engine::nextTokens(*(*model)->loaded.model, encoding->ids, *set, state.donors(**model), 10);
            if (!tokens.has_value())
                return tokens.error();
            NextTokenReply reply;
            for (const engine::NextToken& token : *tokens) {
                const auto text = (*model)->tokenizer->decode(std::vector<int>{token.id});
                reply.tokens.emplace_back(text.has_value() ? *text : std::string(), token.probability);
            }
            return reply;
        },
        std::move(done), std::move(failed));
}

Ticket Backend::score(Slot slot, const std::vector<std::string>& tasks, const std::string& ablation, Reply<ScoreReply> done, Failed failed, Report report)
{
    return post<ScoreReply>(
        false, [=](State& state, const Control& control) { return scoreTasks(state, slot, tasks, ablation, done, control); }, done, std::move(failed),
        std::move(report));
}

Ticket Backend::flips(Slot slot, const std::string& task, const std::string& ablation, Reply<std::vector<FlipRow>> done, Failed failed)
{
    return post<std::vector<FlipRow>>(
        false, [=](State& state, const Control& control) { return flippedRows(state, slot, task, ablation, control); }, std::move(done), std::move(failed));
}

namespace {

/// The ranking of one model between two steps.
struct RankJob {
    std::shared_ptr<Backend::Opened> model;
    std::shared_ptr<const engine::Benchmark> benchmark;
    std::optional<engine::RemovalRanking> removal;
    std::vector<HeadValue> values;
};

Result<void> startRanking(RankJob& job, Backend::State& state, Slot slot, const std::string& task, int limit)
{
    const auto model = state.opened(slot);
    if (!model.has_value())
        return model.error();
    const auto benchmark = state.benchmark(**model, task, limit);
    if (!benchmark.has_value())
        return benchmark.error();
    job.model = *model;
    job.benchmark = *benchmark;
    return {};
}

// The rows of a removal are looked at once, so neither memory nor session keeps them.
Result<engine::Rows> measure(RankJob& job, const InterventionSet& set, const Control& control)
{
    engine::Rows rows = job.benchmark->emptyRows();
    const auto run = job.benchmark->run(*job.model->scorer, set, {}, rows, {}, {control.stop, {}});
    return run.has_value() ? Result<engine::Rows>(std::move(rows)) : Result<engine::Rows>(run.error());
}

// One head, or the baseline at first.
Result<void> stepRanking(RankJob& job, Backend::State& state, Slot slot, const std::string& task, int limit, const Control& control)
{
    if (!job.removal) {
        if (const auto started = startRanking(job, state, slot, task, limit); !started.has_value())
            return started;
        auto removal = engine::RemovalRanking::start(*job.benchmark, {}, engine::allHeads(job.model->loaded.model->spec()),
                                                     [&job, control](const InterventionSet& set) { return measure(job, set, control); });
        if (!removal.has_value())
            return removal.error();
        job.removal = std::move(*removal);
        return {};
    }
    const lm::ModelSpec& spec = job.model->loaded.model->spec();
    if (const auto measured = job.removal->step(); !measured.has_value())
        return measured;
    job.values.push_back(valueOf(spec, job.removal->measured().back()));
    control.progress("ranking heads", static_cast<std::int64_t>(job.values.size()), job.removal->total());
    return {};
}

} // namespace

Ticket Backend::rank(Slot slot, const std::string& task, int limit, Reply<std::vector<HeadValue>> done, Failed failed, Report report)
{
    State* state = m_state.get();
    auto job = std::make_shared<RankJob>();
    const auto step = [=](const Control& control) {
        const auto stepped = stepRanking(*job, *state, slot, task, limit, control);
        if (!stepped.has_value()) {
            failed(stepped.error());
            return false;
        }
        if (!job->values.empty())
            done(std::make_shared<const std::vector<HeadValue>>(job->values));
        if (!job->removal->done())
            return true;
        done(std::make_shared<const std::vector<HeadValue>>(job->values)); // the same again: all are in
        return false;
    };
    return state->m_worker.postSteps(engine::Priority::Background, step, failed, std::move(report));
}

Ticket Backend::headMetric(Slot slot, const Prompt& prompt, const std::string& metric, const std::string& ablation, Reply<std::vector<HeadValue>> done,
                           Failed failed)
{
    return post<std::vector<HeadValue>>(
        false,
        [=](State& state, const Control& control) -> Result<std::vector<HeadValue>> {
            const auto model = state.opened(slot);
            if (!model.has_value())
                return model.error();
            std::vector<HeadValue> values;
            const lm::ModelSpec& spec = (*model)->loaded.model->spec();
            for (std::size_t layer = 0; layer < spec.layers.size(); ++layer)
                for (const lm::MixerSpec& mixer : spec.layers[layer].mixers) {
                    const lm::Site site = spec.layers[layer].mixers.size() > 1 ? mixer.site() : lm::Site::Any;
                    const auto replies = patternsOf(state, slot, prompt, {static_cast<int>(layer), site, -1}, ablation, control);
                    if (!replies.has_value())
                        return replies.error();
                    for (std::size_t head = 0; head < replies->size(); ++head) {
                        const PatternReply& reply = (*replies)[head];
                        const analysis::RowScores last = analysis::rowScores(reply.matrix.row(reply.matrix.rows - 1), reply.matrix.rows - 1);
                        const double value = metric == "gather"      ? reply.gatherScore
                                             : metric == "aggregate" ? reply.aggregateScore
                                             : metric == "entropy"   ? last.entropy
                                             : metric == "effective" ? last.effectiveTokens
                                             : metric == "sink"      ? last.sinkMass
                                                                     : analysis::previousTokenScore(reply.matrix);
                        values.push_back({static_cast<int>(layer), reply.probability, static_cast<int>(head), reply.head, value, 0, 0, 0});
                    }
                }
            return values;
        },
        std::move(done), std::move(failed));
}

void Backend::cancel(Ticket ticket) { m_state->m_worker.cancel(ticket); }

void Backend::cancelAll() { m_state->m_worker.cancelAll(); }

} // namespace headscope::app
