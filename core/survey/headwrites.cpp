// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/survey/headwrites.h"

#include <cmath>

namespace headscope::survey {

namespace {

// The rows of z as a batch of single positions, [N, H*P].
at::Tensor flatRows(const at::Tensor& z)
{
    return z.defined() ? z.flatten(0, 1).to(at::kFloat) : z;
}

lm::HeadOutputs flatRows(const lm::HeadOutputs& z)
{
    return {flatRows(z.attention), flatRows(z.ssm)};
}

} // namespace

HeadWrites::HeadWrites(const lm::Block& block, const lm::HeadOutputs& z, std::int64_t hidden)
{
    const at::Tensor& some = z.attention.defined() ? z.attention : z.ssm;
    const at::TensorOptions options = some.options().dtype(at::kFloat);
    // No two entries alike, so that no norm's centring takes it away.
    m_direction = at::cos(at::arange(hidden, options)).unsqueeze(0);
    const lm::HeadOutputs rows = flatRows(z);
    const auto first = [hidden](const at::Tensor& x) {
        return x.defined() ? x.narrow(0, 0, 1).expand({hidden, -1}) : x;
    };
    const lm::HeadsAlong seen = block.headsAlong({first(rows.attention), first(rows.ssm)}, at::eye(hidden, options));
    const auto one = [](const at::Tensor& x) { return x.defined() ? x.narrow(0, 0, 1) : x; };
    const lm::HeadOutputs scale = block.headsAlong({one(rows.attention), one(rows.ssm)}, m_direction).along;
    for (const Site site : interventions::kMixerSites) {
        const at::Tensor& columns = seen.along.site(site);
        if (!columns.defined())
            continue;
        Map& map = site == Site::Attention ? m_attention : m_ssm;
        map.columns = columns.to(at::kFloat);
        map.scale = scale.site(site).norm().item<double>();
    }
}

at::Tensor HeadWrites::norms(const lm::Block& block, const lm::HeadOutputs& z, Site site, int heads) const
{
    const Map& map = site == Site::Attention ? m_attention : m_ssm;
    const at::Tensor& own = z.site(site);
    if (!map.columns.defined() || !own.defined())
        return {};
    const at::Tensor rows = flatRows(own).unflatten(1, {heads, -1}).transpose(0, 1);                  // [H, N, P]
    const at::Tensor columns = map.columns.unflatten(1, {heads, -1}).permute({1, 2, 0}).contiguous(); // [H, P, D]
    const at::Tensor gram = at::bmm(columns, columns.transpose(1, 2));                                // [H, P, P]
    at::Tensor norms = (at::bmm(rows, gram) * rows).sum(-1).clamp_min(0).sqrt();                      // [H, N]
    // A norm behind the mixer has another scale at every position; along one direction that is a factor.
    const lm::HeadOutputs all = flatRows(z);
    const at::Tensor here = block.headsAlong(all, m_direction.expand({norms.size(1), -1})).along.site(site); // [N, H*P]
    if (map.scale > 0)
        norms = norms * (here.to(at::kFloat).norm(2, 1) / map.scale).unsqueeze(0);
    return norms.transpose(0, 1).unflatten(0, {own.size(0), own.size(1)}).contiguous();
}

} // namespace headscope::survey
