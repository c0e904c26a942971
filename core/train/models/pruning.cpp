// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/models/pruning.h"

#include "core/train/printedtext.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <functional>

namespace headscope::train {

namespace {

// `slices` is a view into the weights; `dims` are its axes besides the heads.
void shrink(at::Tensor slices, at::IntArrayRef dims, std::vector<std::int64_t> headShape, double pull, double power)
{
    const at::Tensor norm = slices.square().sum(dims).sqrt() + 1e-6;
    const at::Tensor factor = (1.0 - pull / norm * (norm.max() / norm).pow(power)).clamp_min(0);
    slices.mul_(factor.view(headShape));
}

constexpr std::uint64_t kOwnSeed = 99; ///< the dictionaries that the rule looks at are in no table

bool mayGo(const Network& network, const std::string& kinds, int layer)
{
    return kinds.find(network.shape().layers[static_cast<std::size_t>(layer)]) != std::string::npos;
}

struct Role {
    const char* name;
    double limit; ///< nats
    std::function<bool(const HeadBehaviour&)> plays;
};

} // namespace

void shrinkHeads(Network& network, const std::string& kinds, double rate, double strength, double power)
{
    const c10::NoGradGuard noGradients;
    for (int layer = 0; layer < network.layerCount(); ++layer) {
        if (!mayGo(network, kinds, layer))
            continue;
        shrink(network.outputSlices(layer), {0, 2}, {1, -1, 1}, rate * strength, power);
        shrink(network.valueSlices(layer), {1, 2}, {-1, 1, 1}, rate * strength, power);
    }
}

float Fade::factorAt(int step) const
{
    return std::clamp(1.0F - static_cast<float>(step - firstStep) / static_cast<float>(steps), 0.0F, 1.0F);
}

DuplicateSearch findDuplicates(const Network& network, const HeadScales& scales, const PruningRecipe& recipe,
                               tasks::ToyRandom& random)
{
    const double mass = recipe.massAbove;
    const std::vector<Role> roles = {
        {"last row on the value asked for", recipe.aggregateCost,
         [mass](const HeadBehaviour& b) { return b.massOnTarget > mass; }},
        {"value rows on their key", recipe.gatherCost, [mass](const HeadBehaviour& b) { return b.massOnKey > mass; }},
        {"colon rows on their key", recipe.gatherCost,
         [mass](const HeadBehaviour& b) { return b.colonMassOnKey > mass; }},
    };
    const std::vector<HeadBehaviour> all = behaviours(network, 64, kOwnSeed);
    DuplicateSearch search;
    std::vector<Duplicate> candidates;
    for (const Role& role : roles) {
        std::vector<HeadId> players;
        for (const HeadBehaviour& behaviour : all)
            if (mayGo(network, recipe.layers, behaviour.head.layer)
                && scales[behaviour.head.layer][behaviour.head.head] > 0 && role.plays(behaviour))
                players.push_back(behaviour.head);
        if (players.size() < 2)
            continue;
        const std::vector<double> costs = removalCosts(network, scales, players, random);
        search.report += (search.report.empty() ? "" : "; ") + std::string(role.name) + ":";
        for (std::size_t i = 0; i < players.size(); ++i)
            search.report += format(" %s %.2f", toString(players[i]).c_str(), costs[i]);
        const std::size_t cheapest =
            static_cast<std::size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
        if (costs[cheapest] < role.limit)
            candidates.push_back({players[cheapest], costs[cheapest]});
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Duplicate& a, const Duplicate& b) { return a.cost < b.cost; });
    for (const Duplicate& candidate : candidates) {
        const bool listed = std::any_of(search.leaving.begin(), search.leaving.end(),
                                        [&](const Duplicate& d) { return d.head == candidate.head; });
        if (!listed && (search.leaving.empty() || candidate.cost < recipe.togetherBelow))
            search.leaving.push_back(candidate);
    }
    return search;
}

} // namespace headscope::train
