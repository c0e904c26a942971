// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/backend.h"

#include "app/backend/ranking.h"
#include "app/backend/scoring.h"
#include "app/backend/state.h"
#include "core/analysis/patternscores.h"
#include "core/engine/patterns.h"

namespace headscope::app {

using interventions::InterventionSet;

namespace {

constexpr int kEstimateLimit = 64; // examples

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

/// What gradients say each head's removal would cost the KV task, in log odds; a loss is positive.
Result<std::vector<HeadValue>> estimatedLosses(Backend::State& state, Slot slot, const Control& control)
{
    const auto model = state.opened(slot);
    if (!model.has_value())
        return model.error();
    const ModelSummary& summary = (*model)->summary;
    RankJob job({slot, summary.kvTask + ":pairs=" + std::to_string(summary.kvSizes.at(1)), kEstimateLimit, RankMethod::Estimate});
    if (const auto done = job.step(state, control); !done.has_value())
        return done.error();
    std::vector<HeadValue> losses = job.values();
    for (HeadValue& head : losses)
        head.value = -head.margin;
    return losses;
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

Ticket Backend::rank(const RankRequest& request, Reply<std::vector<HeadValue>> done, Failed failed, Report report)
{
    State* state = m_state.get();
    auto held = std::make_shared<std::shared_ptr<RankJob>>(); // from the first step on, also when a newer model is opened
    const auto step = [=](const Control& control) {
        if (!*held)
            *held = state->ranking(request);
        const auto& job = *held;
        const std::size_t before = job->values().size();
        const auto more = job->step(*state, control);
        if (!more.has_value()) {
            if (more.error().kind != Error::Kind::Cancelled)
                state->forgetRanking(request);
            failed(more.error());
            return false;
        }
        const auto values = std::make_shared<const std::vector<HeadValue>>(job->values());
        if (values->size() > before || (!*more && !values->empty()))
            done(values);
        if (*more)
            return true;
        done(values); // the same again: all are in
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
            if (metric == "estimate")
                return estimatedLosses(state, slot, control);
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
                        values.push_back({static_cast<int>(layer), reply.probability, static_cast<int>(head), reply.head, value});
                    }
                }
            return values;
        },
        std::move(done), std::move(failed));
}

void Backend::cancel(Ticket ticket) { m_state->m_worker.cancel(ticket); }

void Backend::cancelAll() { m_state->m_worker.cancelAll(); }

} // namespace headscope::app
