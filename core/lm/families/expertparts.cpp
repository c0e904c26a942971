// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/families/expertparts.h"

namespace headscope::lm {

ExpertShape readExperts(Config& config, const char* countKey, int count, int chosen, const char* innerKey, int inner)
{
    constexpr int kMostExperts = 4096;
    ExpertShape shape{config.positive(countKey, count), config.positive("num_experts_per_tok", chosen),
                      config.positive(innerKey, inner)};
    if (shape.count > kMostExperts || shape.chosen > shape.count) {
        config.fail("A token chooses " + std::to_string(shape.chosen) + " of " + std::to_string(shape.count)
                    + " experts; expected at most all of at most " + std::to_string(kMostExperts) + ".");
        return {};
    }
    return shape;
}

Routing readGroups(Config& config, const ExpertShape& shape, const GroupDefaults& defaults)
{
    Routing r{.scores = Routing::Scores::Sigmoid, .chosen = shape.chosen};
    r.groups = config.positive(defaults.groupsKey, defaults.groups);
    r.chosenGroups = config.positive("topk_group", defaults.chosen);
    r.bestOfGroup = defaults.best;
    if (shape.count % r.groups != 0 || r.chosenGroups > r.groups || shape.count / r.groups < r.bestOfGroup
        || shape.count / r.groups * r.chosenGroups < shape.chosen) {
        config.fail("The " + std::to_string(shape.count) + " experts do not divide into " + std::to_string(r.groups)
                    + " groups of which " + std::to_string(r.chosenGroups) + " are chosen from.");
        r.groups = r.chosenGroups = 1;
    }
    return r;
}

Mlp takeNamedMlp(Weights& weights, const std::string& prefix, const DecoderConfig& c, const ExpertNames& names)
{
    return {takeLinear(weights, prefix + names.gate, c.inner, c.hidden),
            takeLinear(weights, prefix + names.up, c.inner, c.hidden),
            takeLinear(weights, prefix + names.down, c.hidden, c.inner), c.activation};
}

std::vector<Mlp> takeExperts(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                             const ExpertShape& shape, const ExpertNames& names)
{
    std::vector<Mlp> experts;
    for (int expert = 0; expert < shape.count; ++expert) {
        const std::string own = prefix + "experts." + std::to_string(expert) + ".";
        experts.push_back({takeLinear(weights, own + names.gate, shape.inner, c.hidden),
                           takeLinear(weights, own + names.up, shape.inner, c.hidden),
                           takeLinear(weights, own + names.down, c.hidden, shape.inner), c.activation});
    }
    return experts;
}

std::vector<Mlp> takeStackedExperts(Weights& weights, const std::string& both, const std::string& down,
                                    const DecoderConfig& c, const ExpertShape& shape)
{
    const at::Tensor first = weights.take(both, {shape.count, std::int64_t{2} * shape.inner, c.hidden}),
                     second = weights.take(down, {shape.count, c.hidden, shape.inner});
    std::vector<Mlp> experts;
    for (int expert = 0; expert < shape.count; ++expert)
        experts.push_back({packed(weights, {first[expert].narrow(0, 0, shape.inner), {}}),
                           packed(weights, {first[expert].narrow(0, shape.inner, shape.inner), {}}),
                           packed(weights, {second[expert], {}}), c.activation});
    return experts;
}

} // namespace headscope::lm
