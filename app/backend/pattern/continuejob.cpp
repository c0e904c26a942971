// SPDX-License-Identifier: GPL-3.0-or-later
// A model that writes on, a token a step. Worker thread only.

#include "app/backend/models.h"
#include "app/workbench/prompt/continuation.h"
#include "app/workbench/prompt/conversation.h"
#include "core/engine/pattern/patterns.h"
#include "core/engine/questions/question.h"

#include <optional>

namespace headscope::app {

namespace {

class ContinueJob
{
public:
    ContinueJob(Side side, Prompt prompt, interventions::InterventionSet ablation, ContinueRequest request);

    /// One token; false: there are no more.
    [[nodiscard]] Result<bool> step(Models& models, const Control& control);
    [[nodiscard]] static bool hasNews() { return true; }
    /// The last step's token, and at the end why there are no more.
    [[nodiscard]] const ContinuationPart& reply() const { return m_part; }

private:
    [[nodiscard]] Result<void> start(Models& models);
    [[nodiscard]] ContinuedToken continuedToken(const Continuation::Step& step) const;

    Side m_side;
    Prompt m_prompt;
    interventions::InterventionSet m_ablation;
    ContinueRequest m_request;
    std::shared_ptr<Opened> m_model;
    std::optional<Continuation> m_continuation;
    ContinuationPart m_part;
};

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

Result<void> ContinueJob::start(Models& models)
{
    const auto read = models.read(m_side, m_prompt);
    if (!read.has_value())
        return read.error();
    const auto& [model, encoding] = *read;
    ContinuationOptions options{m_request.tokens, m_request.temperature, m_request.seed};
    if (!m_prompt.turns.empty() && model->chat)
        if (const auto end = endOfTurn(*model->chat, *model->tokenizer, m_prompt.turns))
            options.stopIds = {*end};
    auto started = Continuation::start(*model, encoding.ids, m_ablation, options);
    if (!started.has_value())
        return started.error();
    m_model = model;
    m_continuation.emplace(std::move(*started));
    return {};
}

Result<bool> ContinueJob::step(Models& models, const Control& control)
{
    if (!m_continuation)
        if (const auto started = start(models); !started.has_value())
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

Job<ContinuationPart> jobOf(const ContinuationRequest& request)
{
    return inSteps<ContinuationPart>(
        engine::Urgency::Look,
        std::make_shared<ContinueJob>(request.side, request.prompt, request.ablation, request.how));
}

} // namespace headscope::app
