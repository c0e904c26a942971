// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/continuejob.h"

#include "core/engine/pattern/patterns.h"
#include "core/engine/questions/question.h"

namespace headscope::app {

namespace {

constexpr int kCandidates = 8;

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

} // namespace

ContinueJob::ContinueJob(Side side, Prompt prompt, interventions::InterventionSet ablation, ContinueRequest request)
    : m_side(side), m_prompt(std::move(prompt)), m_ablation(std::move(ablation)), m_request(std::move(request))
{
}

Result<void> ContinueJob::start(Backend::State& state)
{
    const auto model = state.opened(m_side);
    if (!model.has_value())
        return model.error();
    const auto encoding = state.encode(**model, m_prompt);
    if (!encoding.has_value())
        return encoding.error();
    auto started = Continuation::start(**model, encoding->ids, m_ablation,
                                       {m_request.tokens, m_request.temperature, m_request.seed});
    if (!started.has_value())
        return started.error();
    m_model = *model;
    m_continuation.emplace(std::move(*started));
    return {};
}

Result<bool> ContinueJob::step(Backend::State& state, const Control& control)
{
    if (!m_continuation)
        if (const auto started = start(state); !started.has_value())
            return started.error();
    const auto step = m_continuation->step(control.stop);
    if (!step.has_value())
        return step.error();
    m_part = {.ending = endingOf(step->ending)};
    if (step->id)
        m_part.tokens.push_back(continuedToken(*step));
    return m_part.ending == ContinuationPart::Ending::None;
}

ContinuedToken ContinueJob::continuedToken(const Continuation::Step& step) const
{
    const at::Tensor logits = m_continuation->logits();
    ContinuedToken token{.text = step.text, .probability = at::softmax(logits, -1)[*step.id].item<double>()};
    for (const engine::NextToken& candidate : engine::likeliest(logits, kCandidates))
        token.candidates.emplace_back(engine::tokenText(*m_model->tokenizer, candidate.id), candidate.probability);
    return token;
}

} // namespace headscope::app
