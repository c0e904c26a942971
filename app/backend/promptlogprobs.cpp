// SPDX-License-Identifier: GPL-3.0-or-later
// How likely each token of a prompt was: one run as things are and, with heads off, one with all of them.
#include "app/backend/backend.h"
#include "app/backend/state.h"
#include "core/engine/questions/question.h"
#include "core/interventions/positions.h"
#include "core/why/tokenlogprobs.h"

namespace headscope::app {

namespace {

constexpr std::size_t kLongestPrompt = 4096; // tokens
constexpr int kAlternatives = 3;

struct LogProbJob {
    PromptLogProbs reply;
    std::shared_ptr<Backend::Opened> model;
    std::vector<int> ids;
    bool baseline = false; ///< all heads on: this run is next
};

Result<void> begin(LogProbJob& job, Backend::State& state, const Prompt& prompt)
{
    const auto model = state.opened(job.reply.state.side);
    if (!model.has_value())
        return model.error();
    const auto encoding = state.encode(**model, prompt);
    if (!encoding.has_value())
        return encoding.error();
    if (encoding->ids.size() > kLongestPrompt)
        return inputError("The prompt has " + std::to_string(encoding->ids.size())
                          + " tokens; their log-probabilities are shown up to " + std::to_string(kLongestPrompt) + ".");
    if (const auto there =
            interventions::checkPositions(job.reply.state.ablation, static_cast<int>(encoding->ids.size()));
        !there.has_value())
        return there.error();
    job.reply.text = prompt.text;
    job.reply.tokens = tokenized(prompt.text, *encoding);
    job.ids = encoding->ids;
    job.reply.values.resize(job.ids.size());
    job.model = *model;
    return {};
}

// The run that is next.
Result<void> runOnce(LogProbJob& job, const Control& control)
{
    const interventions::InterventionSet set =
        job.baseline ? interventions::InterventionSet() : job.reply.state.ablation;
    const auto edits = lm::resolve(set, job.model->spec(), job.model->donors);
    if (!edits.has_value())
        return edits.error();
    const auto found =
        why::tokenLogProbs(*job.model->loaded.model, job.ids, *edits, job.baseline ? 0 : kAlternatives, control);
    if (!found.has_value())
        return found.error();
    for (std::size_t i = 0; i < found->size(); ++i) {
        TokenLogProb& value = job.reply.values[i];
        (job.baseline ? value.baseline : value.now) = (*found)[i].value;
        for (const why::LensCell::Token& token : (*found)[i].likely)
            value.likely.emplace_back(engine::tokenText(*job.model->tokenizer, token.id), token.probability);
    }
    return {};
}

} // namespace

Ticket Backend::logProbs(const ModelState& now, const Prompt& prompt, Reply<PromptLogProbs> done, Failed failed)
{
    State* state = m_state.get();
    const auto job = std::make_shared<LogProbJob>();
    job->reply.state = now;
    const auto step = [=](const engine::Turn& turn) -> Result<engine::Next> {
        Result<void> result;
        if (!job->model)
            result = begin(*job, *state, prompt);
        if (result.has_value())
            result = runOnce(*job, turn);
        if (!result.has_value())
            return result.error();
        if (!job->baseline && !now.ablation.empty()) {
            job->baseline = true;
            return engine::Next::Again;
        }
        if (now.ablation.empty())
            for (TokenLogProb& value : job->reply.values)
                value.baseline = value.now;
        done(std::make_shared<const PromptLogProbs>(job->reply));
        return engine::Next::End;
    };
    return state->postSteps(engine::Urgency::Preview, step, failed);
}

} // namespace headscope::app
