// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/survey/headwrites.h"

#include "core/lm/tree/treemixing.h"

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

HeadWrites::HeadWrites(const lm::Block& block, const lm::LayerSpec& layer, const lm::HeadOutputs& z,
                       std::int64_t hidden)
{
    const at::Tensor& some = z.attention.defined() ? z.attention : z.ssm;
    const at::TensorOptions options = some.options().dtype(at::kFloat);
    // No two entries alike, so that no norm's centring takes it away.
    m_direction = at::cos(at::arange(hidden, options)).unsqueeze(0);
    const lm::HeadOutputs rows = flatRows(z);
    // Outputs that are the same for all texts, so that norms do not depend on what is measured first.
    const auto like = [&](const at::Tensor& x, double phase) {
        return x.defined() ? at::sin(at::arange(x.size(-1), options) + phase).unsqueeze(0) * (1 + phase) : x;
    };
    const auto along = [&](double phase) {
        return block.headsAlong({like(rows.attention, phase), like(rows.ssm, phase)}, m_direction).along;
    };
    // A norm behind the mixer sees that these differ.
    const lm::HeadOutputs low = along(0), high = along(1);
    const auto wide = [&](const at::Tensor& x) { return x.defined() ? like(x, 0).expand({hidden, -1}) : x; };
    const lm::HeadsAlong seen = block.headsAlong({wide(rows.attention), wide(rows.ssm)}, at::eye(hidden, options));
    for (const Site site : interventions::kMixerSites) {
        const at::Tensor& written = seen.along.site(site);
        if (!written.defined())
            continue;
        Map& map = site == Site::Attention ? m_attention : m_ssm;
        const int heads = layer.find(site)->heads;
        const at::Tensor columns = written.to(at::kFloat).unflatten(1, {heads, -1}).permute({1, 2, 0}).contiguous();
        map.gram = at::bmm(columns, columns.transpose(1, 2)); // columns: [H, P, D]
        map.scale = at::equal(low.site(site), high.site(site)) ? 0 : low.site(site).norm().item<double>();
    }
}

at::Tensor HeadWrites::norms(const lm::Block& block, const lm::HeadOutputs& z, Site site) const
{
    const Map& map = site == Site::Attention ? m_attention : m_ssm;
    const at::Tensor& own = z.site(site);
    if (!map.gram.defined() || !own.defined())
        return {};
    const std::int64_t heads = map.gram.size(0);
    const at::Tensor rows = flatRows(own).unflatten(1, {heads, -1}); // [N, H, P]
    at::Tensor norms = at::empty({heads, rows.size(0)}, rows.options());
    for (std::int64_t head = 0; head < heads; ++head) {
        const at::Tensor x = rows.select(1, head).contiguous();
        norms[head].copy_((lm::linearOf(x, map.gram[head]) * x).sum(-1).clamp_min_(0).sqrt_());
    }
    if (map.scale > 0) {
        // A norm behind the mixer has another scale at every position; along one direction that is a factor.
        const at::Tensor here =
            block.headsAlong(flatRows(z), m_direction.expand({norms.size(1), -1})).along.site(site); // [N, H*P]
        norms = norms * (here.to(at::kFloat).norm(2, 1) / map.scale).unsqueeze(0);
    }
    return norms.transpose(0, 1).unflatten(0, {own.size(0), own.size(1)}).contiguous();
}

} // namespace headscope::survey
