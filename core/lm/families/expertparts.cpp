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
        config.fail("The " + std::to_string(shape.count) + " experts cannot be divided into " + std::to_string(r.groups)
                    + " groups, of which " + std::to_string(r.chosenGroups) + " are chosen.");
        r.groups = r.chosenGroups = 1;
    }
    return r;
}

GroupedExperts readGroupedExperts(Config& config, const GroupedExpertDefaults& defaults)
{
    config.alias({{"n_routed_experts", "num_local_experts"}});
    GroupedExperts g;
    g.shape = readExperts(config, "n_routed_experts", defaults.count, 8, "moe_intermediate_size", 1408);
    g.routing = readGroups(config, g.shape, {});
    g.routing.factor = config.number("routed_scaling_factor", 1.0);
    g.routing.normalised = config.boolean("norm_topk_prob", defaults.normalised);
    g.sharedInner = static_cast<int>(config.multiple("n_shared_experts", 1, g.shape.inner));
    g.dense = config.integer("first_k_dense_replace", defaults.dense);
    config.assume("scoring_func", "\"sigmoid\"");
    config.assume("topk_method", "\"noaux_tc\"");
    return g;
}

void takeGroupedFeedForward(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                            const GroupedExperts& experts, bool dense, DecoderBlockParts& block, bool corrected)
{
    if (dense) {
        block.mlp = takeGatedMlp(weights, prefix, c.hidden, c.inner, c.activation, false);
        return;
    }
    ExpertParts parts{.router = takeDense(weights, prefix + "gate", experts.shape.count, c.hidden),
                      .routing = experts.routing,
                      .experts = takeExperts(weights, prefix, c, experts.shape),
                      .shared = takeGatedMlp(weights, prefix + "shared_experts.", c.hidden, experts.sharedInner,
                                             c.activation, false)};
    if (corrected)
        parts.routing.correction = weights.take(prefix + "gate.e_score_correction_bias", {experts.shape.count});
    block.experts = std::make_shared<Experts>(std::move(parts));
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
