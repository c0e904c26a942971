// SPDX-License-Identifier: GPL-3.0-or-later
// Which experts each token of a prompt goes to. Worker thread only.

#include "app/backend/models.h"
#include "app/backend/values/expertvalues.h"
#include "core/interventions/positions.h"
#include "core/why/expertrun.h"

namespace headscope::app {

namespace {

constexpr std::size_t kLongestForExperts = 4096; // tokens

Result<std::vector<analysis::ExpertChoices>> choicesUnder(const Opened& model, const std::vector<int>& ids,
                                                          const interventions::InterventionSet& set,
                                                          const Control& control)
{
    const auto edits = lm::resolve(set, model.spec(), model.donors);
    if (!edits.has_value())
        return edits.error();
    return why::expertChoices(*model.loaded.model, ids, *edits, control);
}

// One run as things are and, with something ablated, one without.
Result<ExpertsReply> readExperts(Models& models, const ExpertsRequest& request, const Control& control)
{
    const auto& [now, prompt] = request;
    const auto read = models.read(now.side, prompt);
    if (!read.has_value())
        return read.error();
    const auto& [model, encoding] = *read;
    if (encoding.ids.size() > kLongestForExperts)
        return inputError("The prompt has " + std::to_string(encoding.ids.size())
                          + " tokens; their experts are shown up to " + std::to_string(kLongestForExperts) + ".");
    if (const auto there = interventions::checkPositions(now.ablation, static_cast<int>(encoding.ids.size()));
        !there.has_value())
        return there.error();
    ExpertsReply reply{.state = now, .text = prompt.text, .tokens = tokenized(prompt.text, encoding)};
    auto layers = choicesUnder(*model, encoding.ids, now.ablation, control);
    if (!layers.has_value())
        return layers.error();
    reply.layers = std::move(*layers);
    if (now.ablation.empty())
        return reply;
    auto before = choicesUnder(*model, encoding.ids, {}, control);
    if (!before.has_value())
        return before.error();
    reply.before = std::move(*before);
    return reply;
}

} // namespace

Job<ExpertsReply> jobOf(const ExpertsRequest& request)
{
    return inOneGo(engine::Urgency::Preview, readExperts, request);
}

} // namespace headscope::app
