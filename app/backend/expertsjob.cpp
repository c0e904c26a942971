// SPDX-License-Identifier: GPL-3.0-or-later
// Which experts each token of a prompt goes to: one run as things are and, with something ablated, one without.
#include "app/backend/backend.h"
#include "app/backend/post.h"
#include "core/interventions/positions.h"
#include "core/why/expertchoices.h"

namespace headscope::app {

namespace {

constexpr std::size_t kLongestForExperts = 4096; // tokens

Result<std::vector<analysis::ExpertChoices>> choicesUnder(const Backend::Opened& model, const std::vector<int>& ids,
                                                          const interventions::InterventionSet& set,
                                                          const Control& control)
{
    const auto edits = lm::resolve(set, model.spec(), model.donors);
    if (!edits.has_value())
        return edits.error();
    return why::expertChoices(*model.loaded.model, ids, *edits, control);
}

Result<ExpertsReply> readExperts(Backend::State& state, const ModelState& now, const Prompt& prompt,
                                 const Control& control)
{
    const auto model = state.opened(now.side);
    if (!model.has_value())
        return model.error();
    const auto encoding = state.encode(**model, prompt);
    if (!encoding.has_value())
        return encoding.error();
    if (encoding->ids.size() > kLongestForExperts)
        return inputError("The prompt has " + std::to_string(encoding->ids.size())
                          + " tokens; their experts are shown up to " + std::to_string(kLongestForExperts) + ".");
    if (const auto there = interventions::checkPositions(now.ablation, static_cast<int>(encoding->ids.size()));
        !there.has_value())
        return there.error();
    ExpertsReply reply{.state = now, .text = prompt.text, .tokens = tokenized(prompt.text, *encoding)};
    auto layers = choicesUnder(**model, encoding->ids, now.ablation, control);
    if (!layers.has_value())
        return layers.error();
    reply.layers = std::move(*layers);
    if (now.ablation.empty())
        return reply;
    auto before = choicesUnder(**model, encoding->ids, {}, control);
    if (!before.has_value())
        return before.error();
    reply.before = std::move(*before);
    return reply;
}

} // namespace

Ticket Backend::experts(const ModelState& now, const Prompt& prompt, Reply<ExpertsReply> done, Failed failed)
{
    return app::post<ExpertsReply>(
        *m_state, engine::Urgency::Preview,
        [now, prompt](State& state, const Control& control) { return readExperts(state, now, prompt, control); },
        std::move(done), std::move(failed));
}

} // namespace headscope::app
