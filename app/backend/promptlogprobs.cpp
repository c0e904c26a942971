// SPDX-License-Identifier: GPL-3.0-or-later
// How likely each token of a prompt was: one run as things are and, with heads off, one with all of them.
#include "app/backend/backend.h"
#include "app/backend/state.h"
#include "core/engine/questions/question.h"

#include <cmath>

namespace headscope::app {

namespace {

constexpr std::size_t kLongest = 4096; // tokens
constexpr std::int64_t kAtOnce = 64;   // positions whose logits are there together: a vocabulary is large
constexpr int kLikely = 3;

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
    if (encoding->ids.size() > kLongest)
        return inputError("The prompt has " + std::to_string(encoding->ids.size())
                          + " tokens; their log-probabilities are shown up to " + std::to_string(kLongest) + ".");
    job.reply.text = prompt.text;
    job.reply.tokens = tokenized(prompt.text, *encoding);
    job.ids = encoding->ids;
    job.reply.values.resize(job.ids.size());
    job.model = *model;
    return {};
}

// Log-probabilities of the tokens at [first, first + rows) from the positions before them.
void readSome(LogProbJob& job, const at::Tensor& logits, std::int64_t first)
{
    const at::Tensor all = at::log_softmax(logits.to(at::kFloat), -1).to(at::kCPU);
    const auto [best, ids] = all.topk(kLikely, -1);
    for (std::int64_t row = 0; row < all.size(0); ++row) {
        const auto at = static_cast<std::size_t>(first + row + 1);
        TokenLogProb& value = job.reply.values[at];
        const double found = all[row][job.ids[at]].item<double>();
        (job.baseline ? value.baseline : value.now) = found;
        if (job.baseline)
            continue;
        for (std::int64_t i = 0; i < kLikely; ++i)
            value.likely.emplace_back(
                engine::tokenText(*job.model->tokenizer, static_cast<int>(ids[row][i].item<std::int64_t>())),
                std::exp(best[row][i].item<double>()));
    }
}

// The run that is next.
Result<void> runOnce(LogProbJob& job, const Control& control)
{
    const interventions::InterventionSet set =
        job.baseline ? interventions::InterventionSet() : job.reply.state.ablation;
    const auto edits = lm::resolve(set, job.model->spec(), job.model->donors);
    if (!edits.has_value())
        return edits.error();
    const lm::Model& model = *job.model->loaded.model;
    const auto run = why::record(model, job.ids, *edits, {control.stop, {}});
    if (!run.has_value())
        return run.error();
    const at::Tensor stream = run->streams.back();
    for (std::int64_t first = 0; first + 1 < run->length(); first += kAtOnce) {
        if (control.stopped())
            return cancelledError();
        const std::int64_t count = std::min(kAtOnce, run->length() - 1 - first);
        readSome(job, model.unembed(stream.narrow(1, first, count).contiguous())[0], first);
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
        if (result.has_value()) {
            if (!job->baseline) // a step that gave way begins again
                for (TokenLogProb& value : job->reply.values)
                    value.likely.clear();
            result = runOnce(*job, turn);
        }
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
