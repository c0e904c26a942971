// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the door that lets a model write on.
#include "app/workbench/continuation.h"
#include "app/backend/backend.h"
#include "app/backend/state.h"
#include "core/engine/pattern/patterns.h"

#include <optional>

namespace headscope::app {

namespace {

constexpr int kCandidates = 8;

/// One continuation between two steps.
struct ContinueJob {
    std::shared_ptr<Backend::Opened> model;
    std::optional<Continuation> continuation;
};

Result<void> startContinuation(ContinueJob& job, Backend::State& state, Side side, const Prompt& prompt,
                               const interventions::InterventionSet& ablation, const ContinueRequest& request)
{
    const auto model = state.opened(side);
    if (!model.has_value())
        return model.error();
    const auto encoding = state.encode(**model, prompt);
    if (!encoding.has_value())
        return encoding.error();
    auto started =
        Continuation::start(**model, encoding->ids, ablation, {request.tokens, request.temperature, request.seed});
    if (!started.has_value())
        return started.error();
    job.model = *model;
    job.continuation.emplace(std::move(*started));
    return {};
}

ContinuationPart::Ending endingOf(Continuation::Ending ending)
{
    switch (ending) {
    case Continuation::Ending::EnoughTokens: return ContinuationPart::Ending::EnoughTokens;
    case Continuation::Ending::StopToken: return ContinuationPart::Ending::StopToken;
    case Continuation::Ending::LongestPrompt: return ContinuationPart::Ending::LongestPrompt;
    case Continuation::Ending::None: break;
    }
    return ContinuationPart::Ending::None;
}

ContinuedToken continuedToken(const ContinueJob& job, const Continuation::Step& step)
{
    const at::Tensor logits = job.continuation->logits();
    ContinuedToken token{.text = step.text, .probability = at::softmax(logits, -1)[*step.id].item<double>()};
    for (const engine::NextToken& candidate : engine::likeliest(logits, kCandidates)) {
        const auto spelled = job.model->tokenizer->decode(std::vector<int>{candidate.id});
        token.candidates.emplace_back(spelled.has_value() ? *spelled : std::string(), candidate.probability);
    }
    return token;
}

// One token; the part that ends it when there are no more.
Result<ContinuationPart> stepContinuation(ContinueJob& job, const Control& control)
{
    const auto step = job.continuation->step(control.stop);
    if (!step.has_value())
        return step.error();
    ContinuationPart part{.ending = endingOf(step->ending)};
    if (step->id)
        part.tokens.push_back(continuedToken(job, *step));
    return part;
}

} // namespace

Ticket Backend::continueText(Side side, const Prompt& prompt, const interventions::InterventionSet& ablation,
                             const ContinueRequest& request, Reply<ContinuationPart> done, Failed failed)
{
    State* state = m_state.get();
    auto job = std::make_shared<ContinueJob>();
    const auto step = [=](const engine::Turn& turn) -> Result<engine::Next> {
        if (!job->continuation)
            if (const auto started = startContinuation(*job, *state, side, prompt, ablation, request);
                !started.has_value())
                return started.error();
        auto part = stepContinuation(*job, turn);
        if (!part.has_value())
            return part.error();
        const bool last = part->ending != ContinuationPart::Ending::None;
        done(std::make_shared<const ContinuationPart>(std::move(*part)));
        return last ? engine::Next::End : engine::Next::Again;
    };
    return state->postSteps(engine::Urgency::Look, step, failed);
}

} // namespace headscope::app
