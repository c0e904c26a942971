// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/selectivescan.h"

#include "core/lm/kernels/cudakernels.h"
#include "core/lm/mixers/scangradient.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace headscope::lm {

namespace {

// The doubling scan holds [B, block, E, N] numbers a few times over.
constexpr std::int64_t kBlockElements = std::int64_t{1} << 23;
constexpr std::int64_t kLongestBlock = 64;

/// What the scan of one block of positions reads: decays and additions [B, Q, E, N].
struct ScanBlock {
    at::Tensor decay, added;
};

ScanBlock blockOf(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b,
                  std::int64_t from, std::int64_t count)
{
    const at::Tensor step = dt.narrow(1, from, count).unsqueeze(-1);
    return {at::exp(step * a), step * x.narrow(1, from, count).unsqueeze(-1) * b.narrow(1, from, count).unsqueeze(2)};
}

// Composes each position with the one 1, 2, 4 ... before it: (a2, b2) after (a1, b1) is (a2 a1, a2 b1 + b2).
at::Tensor doublingScan(ScanBlock block, const at::Tensor& state)
{
    const std::int64_t length = block.decay.size(1);
    at::Tensor decay = block.decay, sum = block.added;
    if (state.defined())
        sum = at::cat(
            {(sum.narrow(1, 0, 1) + decay.narrow(1, 0, 1) * state.unsqueeze(1)), sum.narrow(1, 1, length - 1)}, 1);
    for (std::int64_t shift = 1; shift < length; shift *= 2) {
        const std::int64_t rest = length - shift;
        const at::Tensor later = decay.narrow(1, shift, rest);
        sum = at::cat({sum.narrow(1, 0, shift), later * sum.narrow(1, 0, rest) + sum.narrow(1, shift, rest)}, 1);
        decay = at::cat({decay.narrow(1, 0, shift), later * decay.narrow(1, 0, rest)}, 1);
    }
    return sum; // [B, Q, E, N]: the states after each position
}

// One position after the other, channels in parallel; decays come precomputed because ATen's exp is vectorised.
// decay: [Q, N, E]; stepX: [Q, E]; b, c: [Q, N]; state: [N, E]; y: [Q, E]. All contiguous fp32.
void scanPositions(const float* decay, const float* stepX, const float* b, const float* c, float* state, float* y,
                   std::int64_t length, std::int64_t states, std::int64_t channels)
{
    at::parallel_for(0, channels, 128, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t t = 0; t < length; ++t) {
            float* const out = y + t * channels;
            const float* const in = stepX + t * channels;
            std::fill(out + first, out + last, 0.0F);
            for (std::int64_t n = 0; n < states; ++n) {
                const float bn = b[t * states + n], cn = c[t * states + n];
                const float* const keep = decay + (t * states + n) * channels;
                float* const s = state + n * channels;
                for (std::int64_t e = first; e < last; ++e) {
                    s[e] = keep[e] * s[e] + in[e] * bn;
                    out[e] += cn * s[e];
                }
            }
        }
    });
}

at::Tensor positionScan(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b,
                        const at::Tensor& c, at::Tensor& state)
{
    const std::int64_t batch = x.size(0), length = x.size(1), channels = x.size(2), states = a.size(1);
    const at::Tensor stepX = (dt * x).contiguous(), bRows = b.contiguous(), cRows = c.contiguous(),
                     rates = a.t().contiguous(); // [N, E]
    at::Tensor current = state.defined() ? state.transpose(1, 2).contiguous().clone()
                                         : at::zeros({batch, states, channels}, x.options());
    at::Tensor y = at::empty({batch, length, channels}, x.options());
    const std::int64_t block = std::clamp<std::int64_t>(kBlockElements / (states * channels), 1, length);
    for (std::int64_t sample = 0; sample < batch; ++sample)
        for (std::int64_t from = 0; from < length; from += block) {
            const std::int64_t count = std::min(block, length - from);
            const at::Tensor decay = (dt[sample].narrow(0, from, count).unsqueeze(1) * rates).exp_(); // [Q, N, E]
            scanPositions(decay.data_ptr<float>(), stepX[sample][from].data_ptr<float>(),
                          bRows[sample][from].data_ptr<float>(), cRows[sample][from].data_ptr<float>(),
                          current[sample].data_ptr<float>(), y[sample][from].data_ptr<float>(), count, states,
                          channels);
        }
    state = current.transpose(1, 2);
    return y;
}

} // namespace

at::Tensor scanByDoubling(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b,
                          const at::Tensor& c, at::Tensor& state)
{
    const std::int64_t length = x.size(1);
    const std::int64_t perPosition = x.size(0) * x.size(2) * a.size(1);
    const std::int64_t block =
        std::min(length, std::clamp<std::int64_t>(kBlockElements / perPosition, 1, kLongestBlock));
    std::vector<at::Tensor> pieces;
    for (std::int64_t from = 0; from < length; from += block) {
        const std::int64_t count = std::min(block, length - from);
        const at::Tensor states = doublingScan(blockOf(x, dt, a, b, from, count), state);
        state = states.select(1, count - 1);
        pieces.push_back(at::matmul(states, c.narrow(1, from, count).unsqueeze(-1)).squeeze(-1));
    }
    return pieces.size() == 1 ? pieces.front() : at::cat(pieces, 1);
}

at::Tensor selectiveScan(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b,
                         const at::Tensor& c, at::Tensor& state)
{
    const bool gradient = at::GradMode::is_enabled()
                          && (x.requires_grad() || dt.requires_grad() || a.requires_grad() || b.requires_grad()
                              || c.requires_grad() || (state.defined() && state.requires_grad()));
    if (x.is_cpu())
        return gradient ? scanWithGradient(x, dt, a, b, c, state) : positionScan(x, dt, a, b, c, state);
    if (x.is_cuda() && !gradient && a.size(1) <= 64 && cudaKernelsAvailable())
        return cudaSelectiveScan(x, dt, a, b, c, state);
    return scanByDoubling(x, dt, a, b, c, state);
}

} // namespace headscope::lm
