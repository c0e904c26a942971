// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/state/modelheads.h"

#include "app/backend/values/largemodel.h"
#include "app/backend/values/mixers.h"

#include <algorithm>

namespace headscope::gui {

using interventions::HeadRef;
using interventions::Site;

const app::MixerSummary* mixerOf(const app::ModelSummary& model, const HeadRef& head)
{
    return app::mixerIn(model.layers, head);
}

HeadRef siteNamed(const app::ModelSummary& model, HeadRef head)
{
    if (const app::MixerSummary* mixer = mixerOf(model, head)) {
        const bool two = model.layers[static_cast<std::size_t>(head.layer)].size() > 1;
        head.site = !two ? Site::Any : mixer->attention ? Site::Attention : Site::Ssm;
    }
    return head;
}

Site siteOf(const app::ModelSummary& model, const HeadRef& head)
{
    const app::MixerSummary* mixer = mixerOf(model, head);
    return !mixer ? head.site : mixer->attention ? Site::Attention : Site::Ssm;
}

int widestLayer(const app::ModelSummary& model)
{
    int widest = 0;
    for (const auto& layer : model.layers) {
        int heads = 0;
        for (const app::MixerSummary& mixer : layer)
            heads += mixer.heads;
        widest = std::max(widest, heads);
    }
    return widest;
}

std::size_t headCount(const app::ModelSummary& model)
{
    std::size_t heads = 0;
    for (const auto& layer : model.layers)
        for (const app::MixerSummary& mixer : layer)
            heads += static_cast<std::size_t>(mixer.heads);
    return heads;
}

bool isHybrid(const app::ModelSummary& model)
{
    bool attention = false, ssm = false;
    for (const auto& layer : model.layers)
        for (const app::MixerSummary& mixer : layer)
            (mixer.attention ? attention : ssm) = true;
    return attention && ssm;
}

HeadRef middleHead(const app::ModelSummary& model)
{
    return siteNamed(model, {.layer = static_cast<int>(model.layers.size()) / 2});
}

bool isLarge(const app::ModelSummary& model)
{
    return model.parameters >= app::kLargeInWindow;
}

bool isSlowToRank(const app::ModelSummary& model)
{
    constexpr std::int64_t kHeadsOfALarge = 100; // that a model of kLargeInWindow has, or more
    return isLarge(model)
           || model.parameters * static_cast<std::int64_t>(headCount(model)) >= app::kLargeInWindow * kHeadsOfALarge;
}

int rankLimit(const app::ModelSummary& model)
{
    return isLarge(model) ? 32 : 64;
}

app::RankRequest estimateRequest(const app::ModelSummary& model, Side side)
{
    return {.side = side,
            .task = retrievalTask(model),
            .limit = rankLimit(model),
            .method = app::RankMethod::Estimate,
            .steps = isLarge(model) ? 1 : 4};
}

std::string retrievalTask(const app::ModelSummary& model)
{
    if (model.kvSizes.empty())
        return {};
    const std::size_t size = isLarge(model) ? 0 : std::min<std::size_t>(1, model.kvSizes.size() - 1);
    return model.kvTask + ":pairs=" + std::to_string(model.kvSizes[size]);
}

} // namespace headscope::gui
