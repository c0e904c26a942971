// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/ssd.h"

#include "core/lm/kernels/cpukernels.h"
#include "core/lm/tree/treemixing.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::lm {

namespace {

// Chunks are taken in groups so that decays and states of a group stay near this many numbers.
constexpr std::int64_t kGroupElements = std::int64_t{1} << 25;

// [B, G, ...] to [B, H, ...]: each group serves H / G neighbouring heads (repeat, not tile).
at::Tensor perHead(const at::Tensor& grouped, std::int64_t heads)
{
    return grouped.size(1) == heads ? grouped : grouped.repeat_interleave(heads / grouped.size(1), 1);
}

SsdTerms narrowTime(const SsdTerms& t, std::int64_t from, std::int64_t count)
{
    return {t.x.narrow(1, from, count),
            t.b.narrow(1, from, count),
            t.c.narrow(1, from, count),
            t.logDecay.narrow(1, from, count),
            t.weight.defined() ? t.weight.narrow(1, from, count) : t.weight,
            t.d};
}

at::Tensor weighted(const SsdTerms& t)
{
    return t.weight.defined() ? t.x * t.weight.unsqueeze(-1) : t.x;
}

// Pads the end of dimension 1 with zeros to `length`. Zeros neither decay nor add, so outputs before them are
// untouched.
at::Tensor padTime(const at::Tensor& x, std::int64_t length)
{
    if (x.size(1) == length)
        return x;
    auto shape = x.sizes().vec();
    shape[1] = length - x.size(1);
    return at::cat({x, at::zeros(shape, x.options())}, 1);
}

// One token: S = exp(a) S + w x B^T, y = S C.
at::Tensor step(const SsdTerms& t, at::Tensor& state)
{
    const std::int64_t heads = t.x.size(2);
    const at::Tensor x = weighted(t).squeeze(1);         // [B, H, P]
    const at::Tensor b = perHead(t.b.squeeze(1), heads); // [B, H, N]
    const at::Tensor c = perHead(t.c.squeeze(1), heads);
    const at::Tensor added = x.unsqueeze(-1) * b.unsqueeze(-2); // [B, H, P, N]
    state = state.defined() ? state * t.logDecay.squeeze(1).exp().unsqueeze(-1).unsqueeze(-1) + added : added;
    return at::matmul(state, c.unsqueeze(-1)).squeeze(-1).unsqueeze(1);
}

// Several whole chunks at once; y without D.
at::Tensor scanGroup(const SsdTerms& t, at::Tensor& state, std::int64_t chunk)
{
    const std::int64_t batch = t.x.size(0), length = t.x.size(1), heads = t.x.size(2), headDim = t.x.size(3),
                       states = t.b.size(3);
    const std::int64_t chunks = (length + chunk - 1) / chunk, padded = chunks * chunk;
    const auto shaped = [&](const at::Tensor& x) { return x.reshape({batch, x.size(1), chunks, chunk, x.size(3)}); };
    const at::Tensor x = shaped(padTime(weighted(t), padded).transpose(1, 2)); // [B, H, c, Q, P]
    const at::Tensor groupB = shaped(padTime(t.b, padded).transpose(1, 2));    // [B, G, c, Q, N]
    const at::Tensor groupC = shaped(padTime(t.c, padded).transpose(1, 2));
    const at::Tensor b = perHead(groupB, heads), c = perHead(groupC, heads); // [B, H, c, Q, N]
    // Running sums in double: differences of large fp32 sums would lose the digits that matter.
    const at::Tensor sums =
        padTime(t.logDecay, padded).transpose(1, 2).reshape({batch, heads, chunks, chunk}).to(at::kDouble).cumsum(-1);
    const at::Tensor total = sums.select(-1, chunk - 1); // [B, H, c]

    // 1. Within each chunk: the masked matrix times x. C B^T is one product for all heads of a group.
    const at::Tensor above = at::ones({chunk, chunk}, x.options().dtype(at::kBool)).triu(1);
    const at::Tensor decay = (sums.unsqueeze(-1) - sums.unsqueeze(-2))
                                 .to(at::kFloat)
                                 .masked_fill(above, -std::numeric_limits<float>::infinity())
                                 .exp();
    const std::int64_t groups = groupB.size(1);
    const at::Tensor products = at::matmul(groupC, groupB.transpose(-1, -2)).unsqueeze(2); // [B, G, 1, c, Q, Q]
    const at::Tensor matrix =
        (decay.view({batch, groups, heads / groups, chunks, chunk, chunk}) * products).view(decay.sizes());
    at::Tensor y = at::matmul(matrix, x);

    // 2. What each chunk adds to the state by its end: [B, H, c, P, N].
    const at::Tensor toEnd = (total.unsqueeze(-1) - sums).to(at::kFloat).exp();
    const at::Tensor added = at::matmul((x * toEnd.unsqueeze(-1)).transpose(-1, -2), b);

    // 3. The state before each chunk, and after the last.
    const at::Tensor chunkDecay = total.to(at::kFloat).exp();
    at::Tensor current = state.defined() ? state : at::zeros({batch, heads, headDim, states}, x.options());
    std::vector<at::Tensor> before;
    for (std::int64_t i = 0; i < chunks; ++i) {
        before.push_back(current);
        current = current * chunkDecay.select(2, i).unsqueeze(-1).unsqueeze(-1) + added.select(2, i);
    }
    state = current;

    // 4. What the earlier chunks contribute.
    const at::Tensor fromBefore = at::matmul(c, at::stack(before, 2).transpose(-1, -2)); // [B, H, c, Q, P]
    y = y + fromBefore * sums.to(at::kFloat).exp().unsqueeze(-1);
    return y.reshape({batch, heads, padded, headDim}).narrow(2, 0, length).transpose(1, 2);
}

} // namespace

at::Tensor ssdScan(const SsdTerms& t, at::Tensor& state, std::int64_t chunk)
{
    const std::int64_t length = t.x.size(1);
    const at::Tensor direct = t.x * t.d.unsqueeze(-1);
    if (length == 1)
        return step(t, state) + direct;
    chunk = std::clamp<std::int64_t>(std::min(chunk, length), 1, kLongestChunk);
    const std::int64_t perChunk =
        t.x.size(0) * t.x.size(2) * (chunk * chunk + chunk * t.x.size(3) + t.x.size(3) * t.b.size(3));
    const std::int64_t group = std::max<std::int64_t>(1, kGroupElements / perChunk) * chunk;
    std::vector<at::Tensor> pieces;
    for (std::int64_t from = 0; from < length; from += group)
        pieces.push_back(scanGroup(narrowTime(t, from, std::min(group, length - from)), state, chunk));
    return (pieces.size() == 1 ? pieces.front() : at::cat(pieces, 1)) + direct;
}

SsdTerms matrixTerms(const SsdTerms& t, const std::vector<int>& heads)
{
    const std::int64_t all = t.x.size(2), perGroup = all / t.b.size(2);
    std::vector<std::int64_t> chosen(heads.begin(), heads.end()), groups;
    for (std::int64_t h = 0; heads.empty() && h < all; ++h)
        chosen.push_back(h);
    for (const std::int64_t h : chosen)
        groups.push_back(h / perGroup);
    const auto of = [&](const at::Tensor& x, const std::vector<std::int64_t>& which, std::int64_t dimension) {
        return x.index_select(dimension, at::tensor(which, at::kLong).to(x.device()));
    };
    const bool shared = heads.empty() && perGroup > 1; // each group stands once where all heads are wanted
    return {of(t.x, chosen, 2).narrow(3, 0, 0).clone(),
            shared ? t.b.clone() : of(t.b, groups, 2),
            shared ? t.c.clone() : of(t.c, groups, 2),
            of(t.logDecay, chosen, 2),
            t.weight.defined() ? of(t.weight, chosen, 2) : t.weight,
            of(t.d, chosen, 0)};
}

namespace {

/// Of one head, what rows [first, first + R) of its matrix are made of. Keys after the last query are not seen.
struct MatrixTerms {
    at::Tensor products; ///< C B^T, [B, R, K]
    at::Tensor sums;     ///< [B, K], double
    at::Tensor weight;   ///< [B, K]; undefined: 1
    std::int64_t first = 0;
};

// [B, R, K]. What is too small for a normal number is 0: exp() is many times slower there. Above 0 are keys after the
// query. Not in place: the trainer goes back through it.
at::Tensor decayed(const MatrixTerms& t)
{
    constexpr float kSmallest = std::numeric_limits<float>::min();
    const std::int64_t rows = t.products.size(1);
    const at::Tensor gap = (t.sums.narrow(1, t.first, rows).unsqueeze(-1) - t.sums.unsqueeze(1))
                               .to(at::kFloat)
                               .clamp_(std::log(kSmallest), 0);
    at::Tensor m = at::threshold(gap.exp(), kSmallest * 1.01F, 0) * t.products;
    if (t.weight.defined())
        m = m * t.weight.unsqueeze(1);
    m.narrow(2, t.first, rows).tril_();
    return m;
}

// The same into `out` [B, R, T], in one pass.
void decayInto(const MatrixTerms& t, const at::Tensor& out)
{
    const std::int64_t rows = t.products.size(1);
    const at::Tensor products = t.products.contiguous(), sums = t.sums.contiguous(),
                     weight = t.weight.defined() ? t.weight.contiguous() : at::Tensor();
    at::parallel_for(0, out.size(0) * rows, 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end;) {
            const std::int64_t text = row / rows, until = std::min(end, (text + 1) * rows), keys = sums.size(1);
            const DecayRows call{products.const_data_ptr<float>() + text * products.stride(0),
                                 sums.const_data_ptr<double>() + text * keys,
                                 weight.defined() ? weight.const_data_ptr<float>() + text * keys : nullptr,
                                 out.data_ptr<float>() + text * out.stride(0),
                                 products.stride(1),
                                 out.stride(1),
                                 t.first,
                                 out.size(2)};
            cpuKernels().decayRows(call, row - text * rows, until - text * rows);
            row = until;
        }
    });
}

} // namespace

at::Tensor ssdMatrix(const SsdTerms& t, const std::vector<int>& heads, std::int64_t first, std::int64_t rows,
                     bool withD, bool withWeight)
{
    const std::int64_t length = t.x.size(1), all = t.x.size(2);
    const std::int64_t count = heads.empty() ? all : static_cast<std::int64_t>(heads.size());
    const bool onKernels = onFloatKernels(t.b, t.c, t.logDecay);
    const at::TensorOptions options = t.b.options().dtype(at::kFloat);
    const std::vector<std::int64_t> shape{t.x.size(0), count, rows, length};
    const at::Tensor matrices = onKernels ? at::empty(shape, options) : at::zeros(shape, options);
    const std::int64_t keys = first + rows;
    MatrixTerms terms;
    for (std::int64_t i = 0, before = -1; i < count; ++i) {
        const std::int64_t head = heads.empty() ? i : heads[static_cast<std::size_t>(i)];
        const std::int64_t group = head / (all / t.b.size(2));
        if (group != before) // one product for neighbouring heads of a group
            terms.products = at::matmul(t.c.select(2, group).narrow(1, first, rows),
                                        t.b.select(2, group).narrow(1, 0, keys).transpose(1, 2));
        before = group;
        terms.sums = t.logDecay.select(2, head).narrow(1, 0, keys).to(at::kDouble).cumsum(1);
        terms.weight = withWeight && t.weight.defined() ? t.weight.select(2, head).narrow(1, 0, keys) : at::Tensor();
        terms.first = first;
        const at::Tensor own = matrices.select(1, i);
        if (onKernels)
            decayInto(terms, own);
        else
            own.narrow(2, 0, keys).copy_(decayed(terms));
        if (withD)
            own.diagonal(first, 1, 2).add_(t.d.select(0, head));
    }
    return matrices;
}

at::Tensor ssdDiagonal(const SsdTerms& t)
{
    const at::Tensor product = (t.c * t.b).sum(-1).repeat_interleave(t.x.size(2) / t.b.size(2), 2); // [B, T, H]
    return (t.weight.defined() ? product * t.weight : product) + t.d;
}

} // namespace headscope::lm
