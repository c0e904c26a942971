// SPDX-License-Identifier: GPL-3.0-or-later
// How the heads of model B differ from those of A. Worker thread only.

#include "app/backend/models.h"
#include "app/backend/values/headvalues.h"
#include "core/engine/questions/headchanges.h"
#include "core/engine/ranking/rank.h"
#include "core/lm/edits.h"

namespace headscope::app {

namespace {

// Rows of patterns are of the same words only where both models read the same tokens.
Result<std::vector<engine::Question>> comparedPrompts(Models& models, const Prompt& prompt, ChangedHeads& reply)
{
    if (prompt.text.empty())
        return std::vector<engine::Question>();
    const auto a = models.read(Side::A, prompt), b = models.read(Side::B, prompt);
    if (!a.has_value() || !b.has_value())
        return a.has_value() ? b.error() : a.error();
    if (a->encoding.ids == b->encoding.ids)
        return std::vector<engine::Question>{{.source = prompt.text, .ids = a->encoding.ids}};
    reply.undefined.emplace_back("The two models read the prompt as different tokens, so patterns are not compared.");
    return std::vector<engine::Question>();
}

Result<ChangedHeads> changedHeads(Models& models, const ChangedHeadsRequest& request, const Control& control)
{
    const auto a = models.opened(Side::A), b = models.opened(Side::B);
    if (!a.has_value() || !b.has_value())
        return a.has_value() ? b.error() : a.error();
    ChangedHeads reply;
    const auto questions = comparedPrompts(models, request.prompt, reply);
    if (!questions.has_value())
        return questions.error();
    const lm::ModelSpec& spec = (*a)->spec();
    const auto changes = engine::headChanges(*(*a)->loaded.model, *(*b)->loaded.model, *questions, control);
    if (!changes.has_value())
        return changes.error();
    const std::vector<interventions::HeadRef> heads = engine::allHeads(spec);
    for (std::size_t i = 0; i < heads.size(); ++i) {
        const engine::HeadChange& change = changes->heads[i];
        const auto add = [&](const char* name, const std::optional<double>& value) {
            if (value)
                reply[name].push_back({.head = heads[i],
                                       .attention = (**lm::findMixer(spec, heads[i])).kind == lm::MixerKind::Attention,
                                       .value = *value});
        };
        add("ov", change.ov);
        add("qk", change.qk);
        add("pattern", change.pattern ? std::optional(change.pattern->value) : std::nullopt);
    }
    reply.undefined.insert(reply.undefined.end(), changes->undefined.begin(), changes->undefined.end());
    return reply;
}

} // namespace

Job<ChangedHeads> jobOf(const ChangedHeadsRequest& request)
{
    return inOneGo(engine::Urgency::Background, changedHeads, request);
}

} // namespace headscope::app
