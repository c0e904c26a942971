// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/experts.h"

#include <limits>

namespace headscope::lm {

namespace {

// Scores [N, E] of experts outside the best groups are at minus infinity.
at::Tensor withinGroups(const at::Tensor& scores, const Routing& routing)
{
    if (routing.chosenGroups >= routing.groups)
        return scores;
    const at::Tensor grouped = scores.unflatten(1, {routing.groups, -1});
    const at::Tensor best = std::get<0>(grouped.topk(routing.bestOfGroup, -1)).sum(-1); // [N, groups]
    const at::Tensor chosen = std::get<1>(best.topk(routing.chosenGroups, -1));
    const at::Tensor open = at::zeros_like(best, at::kBool).scatter_(1, chosen, true);
    return grouped.masked_fill(open.logical_not().unsqueeze(-1), -std::numeric_limits<double>::infinity()).flatten(1);
}

} // namespace

Choices Experts::choose(const at::Tensor& x) const
{
    const Routing& r = m_p.routing;
    const at::Tensor logits = m_p.router(x.reshape({-1, x.size(-1)})).to(at::kFloat);
    if (r.scores == Routing::Scores::SoftmaxOfChosen) {
        const auto [values, experts] = logits.topk(r.chosen, -1);
        return {experts, at::softmax(values, -1) * r.factor};
    }
    const at::Tensor scores = r.scores == Routing::Scores::Sigmoid ? logits.sigmoid() : at::softmax(logits, -1);
    const at::Tensor ranked = withinGroups(r.correction.defined() ? scores + r.correction.to(at::kFloat) : scores, r);
    const at::Tensor experts = std::get<1>(ranked.topk(r.chosen, -1));
    at::Tensor weights = scores.gather(1, experts);
    if (r.normalised)
        weights = weights / (weights.sum(-1, true) + r.epsilon).clamp_min(r.leastSum);
    if (r.factors.defined())
        weights = weights * r.factors.to(at::kFloat).index({experts});
    return {experts, weights * r.factor};
}

at::Tensor Experts::sharedFactor(const at::Tensor& tokens) const
{
    return m_p.sharedGate.weight.defined() ? at::sigmoid(m_p.sharedGate(tokens)) : at::Tensor();
}

Choices Experts::chooseAll(const at::Tensor& x) const
{
    Choices choices = choose(x);
    if (!m_p.shared)
        return choices;
    const at::Tensor factor = sharedFactor(x.reshape({-1, x.size(-1)}));
    choices.shared = factor.defined() ? factor.flatten().to(at::kFloat)
                                      : at::ones({choices.weights.size(0)}, choices.weights.options());
    return choices;
}

at::Tensor Experts::operator()(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& routed) const
{
    const at::Tensor tokens = x.reshape({-1, x.size(-1)});
    const Choices choices = choose(routed.defined() ? routed : x);
    const at::Tensor read = m_p.before.weight.defined() ? m_p.before(tokens) : tokens;
    at::Tensor out = at::zeros_like(read);
    for (int expert = 0; expert < count(); ++expert) {
        const double factor = scale.defined() ? scale[expert].item<double>() : 1.0;
        const at::Tensor found = (choices.experts == expert).nonzero(); // [n, 2]: token, place among its choices
        if (found.size(0) == 0 || factor == 0)
            continue;
        const at::Tensor rows = found.select(1, 0);
        at::Tensor weights = choices.weights.index({rows, found.select(1, 1)}).unsqueeze(1).to(read.scalar_type());
        at::Tensor in = read.index_select(0, rows);
        if (m_p.weighsInputs) {
            in = in * weights;
            weights = at::ones_like(weights);
        }
        const at::Tensor given = m_p.experts[static_cast<std::size_t>(expert)](in);
        out = out.index_add(0, rows, (given * (weights * factor).to(given.scalar_type())).to(out.scalar_type()));
    }
    if (m_p.after.weight.defined())
        out = m_p.after(out);
    if (m_p.shared) {
        const at::Tensor given = (*m_p.shared)(tokens), factor = sharedFactor(tokens);
        out = out + (factor.defined() ? given * factor : given);
    }
    return out.view(x.sizes());
}

} // namespace headscope::lm
