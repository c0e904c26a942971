// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the door that lets a model write on.
#include "app/backend/backend.h"
#include "app/backend/state.h"
#include "core/engine/generate.h"
#include "core/engine/pattern/patterns.h"
#include "core/text/streamdecoder.h"

#include <optional>

namespace headscope::app {

namespace {

constexpr int kCandidates = 8;

/// One continuation between two steps.
struct ContinueJob {
    std::shared_ptr<Backend::Opened> model;
    lm::Edits edits;
    std::optional<text::StreamDecoder> decoder;
    std::optional<engine::Generation> generation;
    std::size_t shown = 0; ///< tokens given out
    ContinuationPart::Ending atLimit = ContinuationPart::Ending::EnoughTokens;
};

Result<void> startContinuation(ContinueJob& job, Backend::State& state, Side side, const Prompt& prompt,
                               const interventions::InterventionSet& ablation, const ContinueRequest& request)
{
    const auto model = state.opened(side);
    if (!model.has_value())
        return model.error();
    job.model = *model;
    const lm::Model& network = *job.model->loaded.model;
    auto edits = lm::resolve(ablation, network.spec(), state.donors(*job.model));
    if (!edits.has_value())
        return edits.error();
    job.edits = std::move(*edits);
    const auto encoding = job.model->tokenizer->encode(prompt.text, true);
    if (!encoding.has_value())
        return encoding.error();
    if (const auto fits = engine::checkPrompt(network, encoding->ids); !fits.has_value())
        return fits.error();
    engine::GenerateOptions how{.newTokens = request.tokens,
                                .temperature = request.temperature,
                                .seed = request.seed,
                                .stopIds = network.spec().eosIds,
                                .edits = &job.edits};
    if (const auto eos = job.model->tokenizer->eosId())
        how.stopIds.push_back(*eos);
    const int longest = network.spec().maxPositions, length = static_cast<int>(encoding->ids.size());
    if (longest > 0 && length + request.tokens > longest) {
        how.newTokens = longest - length;
        job.atLimit = ContinuationPart::Ending::LongestPrompt;
    }
    if (how.newTokens <= 0)
        return inputError("The prompt has " + std::to_string(length)
                          + " tokens, the most this model reads; shorten it to continue it.");
    const std::vector<std::int64_t> longs(encoding->ids.begin(), encoding->ids.end());
    job.generation.emplace(network, at::tensor(longs, at::TensorOptions(at::kLong)).unsqueeze(0), how);
    // The prompt goes before, so that the first new word is parted from it as the tokenizer parts words.
    job.decoder.emplace(job.model->tokenizer, true);
    for (const int id : encoding->ids)
        (void)job.decoder->push(id);
    return {};
}

Result<ContinuedToken> continuedToken(ContinueJob& job, int id)
{
    const at::Tensor logits = job.generation->logits()[0].to(at::kFloat);
    auto text = job.decoder->push(id);
    if (!text.has_value())
        return text.error();
    ContinuedToken token{.text = std::move(*text), .probability = at::softmax(logits, -1)[id].item<double>()};
    for (const engine::NextToken& candidate : engine::likeliest(logits, kCandidates)) {
        const auto spelled = job.model->tokenizer->decode(std::vector<int>{candidate.id});
        token.candidates.emplace_back(spelled.has_value() ? *spelled : std::string(), candidate.probability);
    }
    return token;
}

// One token; the part that ends it when there are no more.
Result<ContinuationPart> stepContinuation(ContinueJob& job, const Control& control)
{
    const bool more = job.generation->step(control.stop);
    if (control.stopped())
        return cancelledError();
    ContinuationPart part;
    const std::vector<int>& ids = job.generation->tokens().front();
    if (ids.size() > job.shown) {
        auto token = continuedToken(job, ids.back());
        if (!token.has_value())
            return token.error();
        part.tokens.push_back(std::move(*token));
        job.shown = ids.size();
    }
    if (more)
        return part;
    if (auto rest = job.decoder->finish(); rest.has_value() && !part.tokens.empty())
        part.tokens.back().text += *rest;
    part.ending = job.generation->ended() ? ContinuationPart::Ending::StopToken : job.atLimit;
    return part;
}

} // namespace

Ticket Backend::continueText(Side side, const Prompt& prompt, const interventions::InterventionSet& ablation,
                             const ContinueRequest& request, Reply<ContinuationPart> done, Failed failed)
{
    State* state = m_state.get();
    auto job = std::make_shared<ContinueJob>();
    const auto step = [=](const Control& control) {
        if (!job->generation)
            if (const auto started = startContinuation(*job, *state, side, prompt, ablation, request);
                !started.has_value()) {
                failed(started.error());
                return false;
            }
        auto part = stepContinuation(*job, control);
        if (!part.has_value()) {
            failed(part.error());
            return false;
        }
        const bool last = part->ending != ContinuationPart::Ending::None;
        done(std::make_shared<const ContinuationPart>(std::move(*part)));
        return !last;
    };
    return state->m_worker.postSteps(engine::Priority::Foreground, step, failed);
}

} // namespace headscope::app
