// SPDX-License-Identifier: GPL-3.0-or-later
// How likely each token of a prompt was: one run as things are and, with heads off, one with all of them. Worker
// thread only.

#include "app/backend/models.h"
#include "app/backend/values/promptlogprobs.h"
#include "core/engine/questions/question.h"
#include "core/interventions/positions.h"
#include "core/why/lenses/tokenlogprobs.h"

namespace headscope::app {

namespace {

class LogProbJob
{
public:
    LogProbJob(const ModelState& now, Prompt prompt);

    /// One run; false: that was all.
    [[nodiscard]] Result<bool> step(Models& models, const Control& control);
    [[nodiscard]] static bool hasNews() { return false; }
    [[nodiscard]] const PromptLogProbs& reply() const { return m_reply; }

private:
    [[nodiscard]] Result<void> start(Models& models);
    [[nodiscard]] Result<void> run(const Control& control);

    PromptLogProbs m_reply;
    Prompt m_prompt;
    std::shared_ptr<Opened> m_model;
    std::vector<int> m_ids;
    bool m_baseline = false; ///< all heads on: this run is next
};

constexpr std::size_t kLongestPrompt = 4096; // tokens
constexpr int kAlternatives = 3;

} // namespace

LogProbJob::LogProbJob(const ModelState& now, Prompt prompt) : m_prompt(std::move(prompt))
{
    m_reply.state = now;
}

Result<void> LogProbJob::start(Models& models)
{
    const auto read = models.read(m_reply.state.side, m_prompt);
    if (!read.has_value())
        return read.error();
    const auto& [model, encoding] = *read;
    if (encoding.ids.size() > kLongestPrompt)
        return inputError("The prompt has " + std::to_string(encoding.ids.size())
                          + " tokens; their log-probabilities are shown up to " + std::to_string(kLongestPrompt) + ".");
    if (const auto there = interventions::checkPositions(m_reply.state.ablation, static_cast<int>(encoding.ids.size()));
        !there.has_value())
        return there.error();
    m_reply.text = m_prompt.text;
    m_reply.tokens = tokenized(m_prompt.text, encoding);
    m_ids = encoding.ids;
    m_reply.values.resize(m_ids.size());
    m_model = model;
    return {};
}

Result<bool> LogProbJob::step(Models& models, const Control& control)
{
    if (!m_model)
        if (const auto started = start(models); !started.has_value())
            return started.error();
    if (const auto ran = run(control); !ran.has_value())
        return ran.error();
    if (!m_baseline && !m_reply.state.ablation.empty()) {
        m_baseline = true;
        return true;
    }
    if (m_reply.state.ablation.empty())
        for (TokenLogProb& value : m_reply.values)
            value.baseline = value.now;
    return false;
}

Result<void> LogProbJob::run(const Control& control)
{
    const interventions::InterventionSet set = m_baseline ? interventions::InterventionSet() : m_reply.state.ablation;
    const auto edits = lm::resolve(set, m_model->spec(), m_model->donors);
    if (!edits.has_value())
        return edits.error();
    const auto found =
        why::tokenLogProbs(*m_model->loaded.model, m_ids, *edits, m_baseline ? 0 : kAlternatives, control);
    if (!found.has_value())
        return found.error();
    for (std::size_t i = 0; i < found->size(); ++i) {
        TokenLogProb& value = m_reply.values[i];
        (m_baseline ? value.baseline : value.now) = (*found)[i].value;
        for (const why::LensCell::Token& token : (*found)[i].likely)
            value.likely.emplace_back(engine::tokenText(*m_model->tokenizer, token.id), token.probability);
    }
    return {};
}

Job<PromptLogProbs> jobOf(const LogProbsRequest& request)
{
    return inSteps<PromptLogProbs>(engine::Urgency::Preview,
                                   std::make_shared<LogProbJob>(request.state, request.prompt));
}

} // namespace headscope::app
