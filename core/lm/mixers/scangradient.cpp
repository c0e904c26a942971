// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/scangradient.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace headscope::lm {

namespace {

constexpr std::int64_t kScanBlock = 64; // positions whose states are made again together

/// A recurrence over a block: rows [Q, N, E], of which each is the one before it (or `carried` [N, E], which becomes
/// the last) times its decay and plus left[t, n] right[t, e]. All contiguous fp32.
struct Recurrence {
    const float* decay;
    const float* left;
    const float* right;
    float* carried;
    float* rows;
    std::int64_t length, states, channels;
};

void runForward(const Recurrence& r)
{
    at::parallel_for(0, r.channels, 128, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = 0; row < r.length * r.states; ++row) {
            const float factor = r.left[row];
            const float* const in = r.right + row / r.states * r.channels;
            const float* const keep = r.decay + row * r.channels;
            float* const carried = r.carried + row % r.states * r.channels;
            float* const out = r.rows + row * r.channels;
            for (std::int64_t e = first; e < last; ++e)
                out[e] = carried[e] = keep[e] * carried[e] + factor * in[e];
        }
    });
}

// From the last position to the first; what is carried on has been multiplied with the row's own decay.
void runBack(const Recurrence& r)
{
    at::parallel_for(0, r.channels, 128, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = r.length * r.states - 1; row >= 0; --row) {
            const float factor = r.left[row];
            const float* const in = r.right + row / r.states * r.channels;
            const float* const keep = r.decay + row * r.channels;
            float* const carried = r.carried + row % r.states * r.channels;
            float* const out = r.rows + row * r.channels;
            for (std::int64_t e = first; e < last; ++e) {
                out[e] = carried[e] + factor * in[e];
                carried[e] = keep[e] * out[e];
            }
        }
    });
}

at::Tensor runRows(void (*run)(const Recurrence&), const at::Tensor& decay, const at::Tensor& left,
                   const at::Tensor& right, at::Tensor& carried)
{
    at::Tensor rows = at::empty_like(decay);
    run({decay.const_data_ptr<float>(), left.const_data_ptr<float>(), right.const_data_ptr<float>(),
         carried.data_ptr<float>(), rows.data_ptr<float>(), decay.size(0), decay.size(1), decay.size(2)});
    return rows;
}

/// One text, contiguous: dt, x [T, E]; rates [N, E]; b, c [T, N].
struct Text {
    at::Tensor dt, x, rates, b, c;

    [[nodiscard]] Text block(std::int64_t from) const
    {
        const std::int64_t count = std::min(kScanBlock, dt.size(0) - from);
        return {dt.narrow(0, from, count), x.narrow(0, from, count), rates, b.narrow(0, from, count),
                c.narrow(0, from, count)};
    }
    [[nodiscard]] at::Tensor decay() const { return (dt.unsqueeze(1) * rates).exp_(); } // [Q, N, E]
    [[nodiscard]] at::Tensor states(const at::Tensor& decay, at::Tensor& carried) const
    {
        return runRows(runForward, decay, b, dt * x, carried);
    }
};

/// Sums over the texts and blocks go into `rates`.
struct Gradients {
    at::Tensor dt, x, b, c, rates;
};

// Of one block, whose first state is `before` [N, E]; `carried` [N, E] is the gradient of its last state and becomes
// that of `before`.
void addGradients(const Text& of, const at::Tensor& before, const at::Tensor& dy, at::Tensor& carried,
                  const Gradients& into)
{
    const at::Tensor decay = of.decay();
    at::Tensor last = before.clone();
    const at::Tensor states = of.states(decay, last);
    const at::Tensor g = runRows(runBack, decay, of.c, dy, carried);
    into.c.copy_(at::matmul(states, dy.unsqueeze(-1)).squeeze(-1));
    into.b.copy_(at::matmul(g, (of.dt * of.x).unsqueeze(-1)).squeeze(-1));
    const at::Tensor step = at::matmul(of.b.unsqueeze(1), g).squeeze(1); // of dt x
    into.x.copy_(step * of.dt);
    const at::Tensor previous = at::cat({before.unsqueeze(0), states.narrow(0, 0, states.size(0) - 1)}, 0);
    const at::Tensor exponent = previous.mul_(decay).mul_(g); // of dt A
    into.dt.copy_(step * of.x + (exponent * of.rates).sum(1));
    into.rates.add_((exponent * of.dt.unsqueeze(1)).sum(0));
}

class SelectiveScan : public torch::autograd::Function<SelectiveScan>
{
public:
    static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                                                  const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b,
                                                  const at::Tensor& c, const at::Tensor& state)
    {
        const std::int64_t batch = x.size(0), length = x.size(1), blocks = (length + kScanBlock - 1) / kScanBlock;
        const at::Tensor rates = a.t().contiguous();
        at::Tensor carried = state.transpose(1, 2).contiguous().clone(), y = at::empty_like(x),
                   starts = at::empty({batch, blocks, a.size(1), x.size(2)}, x.options());
        for (std::int64_t sample = 0; sample < batch; ++sample) {
            const Text text{dt[sample], x[sample], rates, b[sample], c[sample]};
            at::Tensor now = carried[sample];
            for (std::int64_t block = 0; block < blocks; ++block) {
                starts[sample][block].copy_(now);
                const Text of = text.block(block * kScanBlock);
                const at::Tensor states = of.states(of.decay(), now);
                y[sample]
                    .narrow(0, block * kScanBlock, of.dt.size(0))
                    .copy_(at::matmul(of.c.unsqueeze(1), states).squeeze(1));
            }
        }
        context->save_for_backward({x, dt, a, b, c, starts});
        return {y, carried.transpose(1, 2)};
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &dt = saved[1], &a = saved[2], &b = saved[3], &c = saved[4], &starts = saved[5];
        const at::Tensor rates = a.t().contiguous();
        const at::Tensor dy = gradients[0].defined() ? gradients[0].contiguous() : at::zeros_like(x);
        at::Tensor carried = gradients[1].defined() ? gradients[1].transpose(1, 2).contiguous().clone()
                                                    : at::zeros({x.size(0), a.size(1), x.size(2)}, x.options());
        const Gradients all{at::empty_like(dt), at::empty_like(x), at::empty_like(b), at::empty_like(c),
                            at::zeros_like(rates)};
        for (std::int64_t sample = 0; sample < x.size(0); ++sample) {
            const Text text{dt[sample], x[sample], rates, b[sample], c[sample]};
            at::Tensor now = carried[sample];
            for (std::int64_t block = starts.size(1) - 1; block >= 0; --block) {
                const std::int64_t from = block * kScanBlock;
                const Text of = text.block(from);
                const auto part = [&](const at::Tensor& whole) { return whole[sample].narrow(0, from, of.dt.size(0)); };
                addGradients(of, starts[sample][block], part(dy), now,
                             {part(all.dt), part(all.x), part(all.b), part(all.c), all.rates});
            }
        }
        return {all.x, all.dt, all.rates.t(), all.b, all.c, carried.transpose(1, 2)};
    }
};

} // namespace

at::Tensor scanWithGradient(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b,
                            const at::Tensor& c, at::Tensor& state)
{
    const at::Tensor before = state.defined() ? state : at::zeros({x.size(0), x.size(2), a.size(1)}, x.options());
    const auto out = SelectiveScan::apply(x.contiguous(), dt.contiguous(), a, b.contiguous(), c.contiguous(), before);
    state = out[1];
    return out[0];
}

} // namespace headscope::lm
