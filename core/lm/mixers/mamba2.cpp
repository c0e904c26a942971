// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/mamba2.h"

#include "core/lm/tree/treemixing.h"

#include <ATen/Parallel.h>

namespace headscope::lm {

at::Tensor runSsd(const SsdTerms& terms, const at::Tensor& gate, int chunk, MixerCall& call)
{
    at::Tensor state = call.state ? call.state->second : at::Tensor();
    at::Tensor y;
    if (call.capture && call.capture->matrixOnly)
        y = at::zeros_like(terms.x);
    else if (call.batch.tree)
        y = ssdAlongTree(terms, *call.batch.tree);
    else if (!call.state && onFloatKernels(terms.x, terms.b, terms.c, terms.logDecay, terms.weight, terms.d))
        y = ssdAlongTree(
            terms, DeviceTree(std::make_shared<const TokenTree>(terms.x.size(0), terms.x.size(1)), terms.x.device()));
    else
        y = ssdScan(terms, state, chunk);
    if (call.state)
        call.state->second = state;
    y = maskMatrix(y, terms.x, call,
                   {[&](int head, std::int64_t query, std::int64_t key) { return ssdEntry(terms, head, query, key); },
                    [&] { return ssdDiagonal(terms); }});
    if (call.capture && call.capture->wantMatrix)
        call.capture->matrix =
            editedMatrix(ssdMatrix(terms, call.capture->heads, call.capture->row, call.capture->rowCount,
                                   call.capture->convention.withD, call.capture->convention.withDt),
                         gate, static_cast<int>(terms.x.size(2)), call);
    captureValues(terms.x, y, call);
    return scaleBeforeNorm(y, call);
}

at::Tensor Mamba2::gateAndNorm(const at::Tensor& y, const at::Tensor& gate) const
{
    if (m_w.normWeight.defined() && !m_w.normBeforeGate && onFloatKernels(y, gate, m_w.normWeight) && y.is_contiguous()
        && gate.stride(-1) == 1 && gate.stride(0) == gate.size(1) * gate.stride(1)) {
        at::Tensor z = y.clone(); // what was captured stays as it is
        const std::int64_t width = z.size(-1), stride = gate.stride(1);
        at::parallel_for(0, z.numel() / width, 64, [&](std::int64_t first, std::int64_t last) {
            cpuKernels().gatedNorm(z.data_ptr<float>() + first * width, gate.data_ptr<float>() + first * stride, stride,
                                   m_w.normWeight.data_ptr<float>(), last - first, width, width / m_w.normGroups,
                                   static_cast<float>(m_w.normEps));
        });
        return z;
    }
    const at::Tensor silu = at::silu(gate.to(at::kFloat));
    at::Tensor g = y.to(at::kFloat);
    if (!m_w.normWeight.defined())
        return (g * silu).to(y.scalar_type());
    if (!m_w.normBeforeGate)
        g = g * silu;
    const std::int64_t width = g.size(-1);
    const at::Tensor grouped = g.view({g.size(0), g.size(1), m_w.normGroups, width / m_w.normGroups});
    const at::Tensor normed = (grouped * at::rsqrt(grouped.square().mean(-1, true) + m_w.normEps)).view(g.sizes());
    if (m_w.normBeforeGate)
        return ((normed * m_w.normWeight.to(at::kFloat)) * silu).to(y.scalar_type());
    return normed.to(y.scalar_type()) * m_w.normWeight;
}

at::Tensor Mamba2::forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const
{
    const std::int64_t batch = input.size(0), length = input.size(1), heads = m_spec.heads, groups = m_spec.kvHeads,
                       states = m_spec.state;
    const std::int64_t width = heads * m_spec.headDim, groupWidth = groups * states;

    // 1. Projection and convolution.
    at::Tensor projected = m_w.input(input);
    if (m_w.inputScale.defined())
        projected = projected * m_w.inputScale;
    const at::Tensor gate = projected.narrow(-1, 0, width);
    const at::Tensor mixed = m_w.conv(projected.narrow(-1, width, width + 2 * groupWidth),
                                      call.state ? &call.state->first : nullptr, call.batch.tree)
                                 .to(at::kFloat);

    // 2. The terms of the scan, fp32.
    SsdTerms terms;
    terms.x = mixed.narrow(-1, 0, width).reshape({batch, length, heads, m_spec.headDim});
    terms.b = mixed.narrow(-1, width, groupWidth).reshape({batch, length, groups, states});
    terms.c = mixed.narrow(-1, width + groupWidth, groupWidth).reshape({batch, length, groups, states});
    at::Tensor dt = at::softplus(projected.narrow(-1, 2 * width + 2 * groupWidth, heads).to(at::kFloat)
                                 + m_w.dtBias.to(at::kFloat));
    if (m_w.dtLow > 0 || std::isfinite(m_w.dtHigh))
        dt = at::clamp(dt, m_w.dtLow, m_w.dtHigh);
    terms.weight = dt;
    terms.logDecay = dt * -at::exp(m_w.aLog.to(at::kFloat));
    terms.d = m_w.d.to(at::kFloat);

    // 3. Scan, gate, norm, heads.
    const at::Tensor y = runSsd(terms, gate, m_w.chunk, call).reshape({batch, length, width}).to(input.scalar_type());
    return projectHeads(gateAndNorm(y, gate), m_spec.heads, m_w.output, call, rowsOnly);
}

} // namespace headscope::lm
