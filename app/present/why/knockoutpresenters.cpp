// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/why/knockoutpresenters.h"

#include "app/present/heads/headspans.h"
#include "app/present/text.h"
#include "app/state/modelheads.h"

#include <algorithm>

namespace headscope::gui {

using interventions::HeadRef;
using interventions::MaskSpan;
using interventions::Site;
using Where = widgets::KnockoutChoice::Where;

namespace {

bool hasHeads(const app::ModelSummary& model, int first, int last, bool attention)
{
    for (int layer = first; layer <= last; ++layer)
        if (std::ranges::any_of(model.layers[static_cast<std::size_t>(layer)],
                                [attention](const app::MixerSummary& mixer) { return mixer.attention == attention; }))
            return true;
    return false;
}

} // namespace

widgets::KnockoutPlace knockoutPlace(const app::ModelSummary& model, const HeadRef& head, const QStringList& tokens)
{
    const int last = static_cast<int>(model.layers.size()) - 1;
    return {.tokens = tokens,
            .head = text(headName(model, head)),
            .layer = head.layer,
            .layers = last + 1,
            .attention = hasHeads(model, 0, last, true),
            .ssm = hasHeads(model, 0, last, false)};
}

std::vector<interventions::Intervention> knockedOut(const app::ModelSummary& model, const HeadRef& head,
                                                    const widgets::KnockoutChoice& choice)
{
    MaskSpan mask{.layer = head.layer,
                  .lastLayer = head.layer,
                  .queries = {choice.firstQuery, choice.lastQuery},
                  .keys = {choice.firstKey, choice.lastKey}};
    if (choice.where == Where::Head) {
        mask.site = head.site;
        mask.head = head.head;
        mask.beforeSoftmax = choice.beforeSoftmax && siteOf(model, head) == Site::Attention;
        return {mask};
    }
    if (choice.where != Where::Layer) {
        const bool all = choice.where == Where::Everywhere;
        mask.layer = all ? 0 : choice.firstLayer;
        mask.lastLayer = all ? static_cast<int>(model.layers.size()) - 1 : choice.lastLayer;
    }
    const bool attention = hasHeads(model, mask.layer, mask.lastLayer, true),
               ssm = hasHeads(model, mask.layer, mask.lastLayer, false);
    std::vector<interventions::Intervention> items;
    if (attention) {
        mask.site = ssm ? Site::Attention : Site::Any;
        mask.beforeSoftmax = choice.beforeSoftmax;
        items.emplace_back(mask);
    }
    if (ssm) {
        mask.site = attention ? Site::Ssm : Site::Any;
        mask.beforeSoftmax = false;
        items.emplace_back(mask);
    }
    return items;
}

} // namespace headscope::gui
