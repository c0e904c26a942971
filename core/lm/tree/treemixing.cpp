// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/tree/treemixing.h"

#include "core/lm/device/pages.h"
#include "core/lm/weights/packedweight.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace headscope::lm {

namespace {

// The segments cut into about `parts` stretches of equal rows: [0, ..., count].
std::vector<std::int64_t> stretches(const TokenTree& tree, std::int64_t parts)
{
    std::vector<std::int64_t> bounds{0};
    const auto& segments = tree.segments();
    for (std::int64_t part = 1; part < parts; ++part) {
        const auto at = std::partition_point(segments.begin(), segments.end(), [&](const TreeSegment& s) {
            return s.begin < part * tree.rows() / parts;
        });
        bounds.push_back(std::max(bounds.back(), static_cast<std::int64_t>(at - segments.begin())));
    }
    bounds.push_back(static_cast<std::int64_t>(segments.size()));
    return bounds;
}

// fp32 memory for patterns.
at::Tensor largeTensor(const std::vector<std::int64_t>& shape)
{
    constexpr std::int64_t kLarge = std::int64_t{64} << 20;
    std::int64_t bytes = sizeof(float);
    for (const std::int64_t size : shape)
        bytes *= size;
    const auto type = at::TensorOptions(at::kFloat);
    // Not as a view, which would hold its memory twice.
    return bytes >= kLarge ? at::empty({0}, type).set_(inLargePages(bytes).storage(), 0, shape)
                           : at::empty(shape, type);
}

// Whether it may be written over: it has the shape, and nobody else holds it.
bool isOwn(const at::Tensor& matrix, const std::vector<std::int64_t>& shape)
{
    return matrix.defined() && matrix.sizes() == shape && matrix.scalar_type() == at::kFloat && matrix.is_contiguous()
           && matrix.use_count() == 1 && matrix.storage().use_count() == 1;
}

// With fewer rows the panels cost more to lay out than they save. A single row needs none.
constexpr std::int64_t kFewRows = 32;

bool onLinearKernel(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    return linearKernel() && onFloatKernels(x, weight, bias) && x.dim() >= 2 && x.is_contiguous()
           && (x.numel() >= kFewRows * x.size(-1)
               || (x.numel() == x.size(-1) && (weight.stride(0) == 1 || weight.stride(1) == 1)))
           && (!bias.defined() || bias.is_contiguous());
}

// Only x needs a gradient, and the kernel would compute the product and the gradient.
bool isFixedProduct(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    return linearKernel() && !onKernels(x) && x.is_cpu() && x.scalar_type() == at::kFloat
           && onFloatKernels(weight, bias) && x.dim() >= 2 && x.numel() >= kFewRows * x.size(-1);
}

bool onBfloatRow(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    return bfloatRowKernel() && onKernels(x, weight, bias) && x.scalar_type() == at::kBFloat16
           && weight.scalar_type() == at::kBFloat16 && x.dim() >= 2 && x.numel() == x.size(-1) && weight.stride(1) == 1;
}

// x weight^T + bias of a single row in bfloat16, summed in fp32. (The library's own takes as long as for fp32 weights.)
at::Tensor bfloatRow(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    const at::Tensor wide = x.to(at::kFloat).contiguous();
    auto shape = x.sizes().vec();
    shape.back() = weight.size(0);
    at::Tensor out = at::empty(shape, wide.options());
    multiplyRow({.x = wide.data_ptr<float>(),
                 .weight = static_cast<const std::uint16_t*>(weight.data_ptr()),
                 .out = out.data_ptr<float>(),
                 .outStep = weight.stride(0),
                 .in = weight.size(1),
                 .outs = weight.size(0)});
    if (bias.defined())
        out += bias.to(at::kFloat);
    return out.to(at::kBFloat16);
}

// x weight^T with a gradient for x alone, which is the same kind of product with the weight transposed. A packed weight
// is unpacked for the product and again in the backward pass, so that no full weight stays in memory.
struct FixedProduct : torch::autograd::Function<FixedProduct> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& weight)
    {
        context->saved_data["weight"] = weight;
        return linearOf(x.contiguous(), denseOf(weight));
    }
    static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::tensor_list& gradients)
    {
        const at::Tensor weight = denseOf(context->saved_data["weight"].toTensor());
        return {linearOf(gradients[0].contiguous(), weight.t()), at::Tensor()};
    }
};

} // namespace

void multiplyRow(const BfloatRow& row)
{
    const std::int64_t threads = at::get_num_threads();
    at::parallel_for(0, row.outs, std::max<std::int64_t>(64, (row.outs + threads - 1) / threads),
                     [&](std::int64_t first, std::int64_t last) { bfloatRowKernel()(row, first, last); });
}

void multiplyRows(const LinearRows& rows)
{
    const std::int64_t panels = (rows.outs + kLinearPanel - 1) / kLinearPanel, threads = at::get_num_threads();
    at::parallel_for(0, panels, (panels + threads - 1) / threads,
                     [&](std::int64_t first, std::int64_t last) { linearKernel()(rows, first, last); });
}

void linearInto(at::Tensor& out, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    if (const PackedWeight* const packed = packedIn(weight))
        return packed->productInto(out, x, bias);
    if (!onLinearKernel(x, weight, bias)) {
        if (bias.defined())
            at::addmm_out(out, bias, x, weight.t());
        else
            at::mm_out(out, x, weight.t());
        return;
    }
    LinearRows rows;
    rows.x = x.data_ptr<float>();
    rows.weight = weight.data_ptr<float>();
    rows.bias = bias.defined() ? bias.data_ptr<float>() : nullptr;
    rows.out = out.data_ptr<float>();
    rows.xStride = x.stride(0);
    rows.outStride = out.stride(0);
    rows.outStep = weight.stride(0);
    rows.inStep = weight.stride(1);
    rows.rows = x.size(0);
    rows.in = x.size(1);
    rows.outs = weight.size(0);
    multiplyRows(rows);
}

at::Tensor linearOf(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    const PackedWeight* const packed = packedIn(weight);
    if (packed && onFloatKernels(x))
        return packed->product(x, bias);
    if (packed || isFixedProduct(x, weight, bias)) {
        const at::Tensor product = FixedProduct::apply(x, weight);
        return bias.defined() ? product + bias : product;
    }
    if (onBfloatRow(x, weight, bias))
        return bfloatRow(x, weight, bias);
    if (!onLinearKernel(x, weight, bias))
        return bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);
    auto shape = x.sizes().vec();
    shape.back() = weight.size(0);
    at::Tensor out = at::empty({x.numel() / x.size(-1), weight.size(0)}, x.options());
    linearInto(out, x.view({-1, x.size(-1)}), weight, bias);
    return out.view(shape);
}

at::Tensor attend(const AttentionCall& call)
{
    const at::Tensor q = call.q.contiguous(), k = call.k.contiguous(),
                     v = call.v.defined() ? call.v.contiguous() : call.v;
    const std::int64_t heads = q.size(1), headDim = q.size(2), kvHeads = k.size(1);
    at::Tensor z = v.defined() ? at::empty({q.size(0), heads * headDim}, q.options()) : v;
    AttentionRows rows;
    rows.q = q.data_ptr<float>();
    rows.k = k.data_ptr<float>();
    if (v.defined()) {
        rows.v = v.data_ptr<float>();
        rows.z = z.data_ptr<float>();
    }
    rows.qStride = rows.zStride = heads * headDim;
    rows.kStride = rows.vStride = kvHeads * headDim;
    rows.heads = heads;
    rows.kvHeads = kvHeads;
    rows.headDim = headDim;
    rows.scale = static_cast<float>(call.scale);
    rows.softCap = static_cast<float>(call.softCap);
    rows.window = call.window;
    rows.segments = call.tree.segments().data();
    rows.segmentCount = static_cast<std::int64_t>(call.tree.segments().size());
    rows.longest = call.tree.longest();
    if (call.rows) {
        rows.rows = call.rows->data();
        rows.rowCount = static_cast<std::int64_t>(call.rows->size());
    }
    std::vector<std::int64_t> slotOf(static_cast<std::size_t>(heads), -1);
    if (call.matrix) {
        for (std::size_t i = 0; i < call.heads.size(); ++i)
            slotOf[static_cast<std::size_t>(call.heads[i])] = static_cast<std::int64_t>(i);
        if (call.heads.empty())
            for (std::int64_t head = 0; head < heads; ++head)
                slotOf[static_cast<std::size_t>(head)] = head;
        rows.slotOf = slotOf.data();
        rows.slots = call.heads.empty() ? heads : static_cast<std::int64_t>(call.heads.size());
        const std::vector<std::int64_t> shape{rows.segmentCount, rows.slots, call.rows ? rows.rowCount : rows.longest,
                                              rows.longest};
        if (!isOwn(*call.matrix, shape)) // the memory of a run before is not asked for again
            *call.matrix = largeTensor(shape);
        rows.matrix = call.matrix->data_ptr<float>();
    }
    // A stretch begins by laying out its path again, so there are no more of them than keep the threads busy.
    const std::int64_t threads = at::get_num_threads();
    const std::int64_t parts =
        threads == 1 ? 1 : std::min<std::int64_t>(rows.segmentCount, (4 * threads + kvHeads - 1) / kvHeads);
    const std::vector<std::int64_t> bounds = stretches(call.tree, std::max<std::int64_t>(parts, 1));
    const auto count = static_cast<std::int64_t>(bounds.size()) - 1;
    at::parallel_for(0, kvHeads * count, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
            cpuKernels().attention(rows, i / count, bounds[static_cast<std::size_t>(i % count)],
                                   bounds[static_cast<std::size_t>(i % count + 1)]);
    });
    return z;
}

at::Tensor ssdAlongTree(const SsdTerms& t, const DeviceTree& deviceTree)
{
    if (!onFloatKernels(t.x, t.b, t.c, t.logDecay, t.weight, t.d))
        return alongTree(deviceTree, {t.x, t.b, t.c, t.logDecay, t.weight},
                         [&](const std::vector<at::Tensor>& part, at::Tensor& states) {
                             return ssdScan({part[0], part[1], part[2], part[3], part[4], t.d}, states, kLongestChunk);
                         });
    const TokenTree& tree = deviceTree.onHost();
    const std::int64_t heads = t.x.size(-2), headDim = t.x.size(-1);
    // Rows may lie apart (they are slices of one projection); within a row heads follow each other.
    const auto packed = [](const at::Tensor& x) {
        return x.stride(-1) == 1 && x.stride(-2) == x.size(-1) && x.stride(0) == x.size(1) * x.stride(1)
                   ? x
                   : x.contiguous();
    };
    const at::Tensor x = packed(t.x), b = packed(t.b), c = packed(t.c), decay = t.logDecay.contiguous();
    const at::Tensor weight = t.weight.defined() ? t.weight.contiguous() : t.weight, d = t.d.contiguous();
    at::Tensor y = at::empty(x.sizes(), x.options());
    SsdRows rows;
    rows.x = x.data_ptr<float>();
    rows.b = b.data_ptr<float>();
    rows.c = c.data_ptr<float>();
    rows.xStride = x.stride(1);
    rows.bStride = b.stride(1);
    rows.cStride = c.stride(1);
    rows.logDecay = decay.data_ptr<float>();
    rows.weight = weight.defined() ? weight.data_ptr<float>() : nullptr;
    rows.d = d.data_ptr<float>();
    rows.y = y.data_ptr<float>();
    rows.heads = heads;
    rows.groups = b.size(-2);
    rows.headDim = headDim;
    rows.states = b.size(-1);
    rows.segments = tree.segments().data();
    rows.segmentCount = static_cast<std::int64_t>(tree.segments().size());
    rows.levels = tree.levels();
    const std::int64_t grain = std::max<std::int64_t>(1, heads / at::get_num_threads());
    at::parallel_for(0, heads, grain,
                     [&](std::int64_t first, std::int64_t last) { cpuKernels().ssd(rows, first, last); });
    return y;
}

at::Tensor alongTree(const DeviceTree& tree, const std::vector<at::Tensor>& terms, const SegmentScan& scan)
{
    const TreeLevels& all = tree.levels();
    std::vector<at::Tensor> rows; // [N, ...], with a row of zeros behind them where groups are padded
    for (const at::Tensor& term : terms)
        rows.push_back(term.defined() && all.padded ? at::cat({term[0], at::zeros_like(term[0].narrow(0, 0, 1))})
                       : term.defined()             ? term[0]
                                                    : term);
    const auto beside = [](const at::Tensor& x, const TreeLevels::Group& group) {
        if (!x.defined())
            return x;
        const auto segments = group.rows.sizes();
        return (group.begin >= 0 ? x.narrow(0, group.begin, group.rows.numel())
                                 : x.index_select(0, group.rows.reshape(-1)))
            .unflatten(0, segments);
    };
    std::vector<at::Tensor> pieces;
    at::Tensor before; // states at the ends of the level before
    for (const auto& level : all.levels) {
        std::vector<at::Tensor> behind;
        for (const TreeLevels::Group& group : level) {
            std::vector<at::Tensor> own;
            for (const at::Tensor& x : rows)
                own.push_back(beside(x, group));
            at::Tensor states = group.parents.defined() ? before.index_select(0, group.parents) : at::Tensor();
            pieces.push_back(scan(own, states).flatten(0, 1));
            behind.push_back(states);
        }
        before = &level == &all.levels.back() ? at::Tensor() : behind.size() == 1 ? behind.front() : at::cat(behind);
    }
    const at::Tensor y = pieces.size() == 1 ? pieces.front() : at::cat(pieces);
    return (all.place.defined() ? y.index_select(0, all.place) : y).unsqueeze(0);
}

at::Tensor convAlongTree(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, Activation activation,
                         const DeviceTree& deviceTree)
{
    const TokenTree& tree = deviceTree.onHost();
    const std::int64_t channels = x.size(-1), width = weight.size(2);
    const bool fused = activation == Activation::Silu || activation == Activation::Identity;
    if (fused && onFloatKernels(x, weight, bias) && x.stride(-1) == 1 && x.stride(0) == x.size(1) * x.stride(1)) {
        const at::Tensor taps = weight.squeeze(1).t().contiguous();
        at::Tensor y = at::empty(x.sizes(), x.options());
        ConvRows rows;
        rows.x = x.data_ptr<float>();
        rows.xStride = x.stride(1);
        rows.taps = taps.data_ptr<float>();
        rows.bias = bias.defined() ? bias.data_ptr<float>() : nullptr;
        rows.previous = tree.previous().data();
        rows.y = y.data_ptr<float>();
        rows.channels = channels;
        rows.width = width;
        rows.silu = activation == Activation::Silu;
        at::parallel_for(0, tree.rows(), 64,
                         [&](std::int64_t first, std::int64_t last) { cpuKernels().conv(rows, first, last); });
        return y;
    }
    // Each tap reads the rows one further back; row N stands for what is before a text.
    const at::Tensor taps = weight.to(at::kFloat).squeeze(1); // [C, K]
    const at::Tensor whole =
        at::cat({x.reshape({-1, channels}).to(at::kFloat), at::zeros({1, channels}, x.options().dtype(at::kFloat))});
    const at::Tensor& previous = deviceTree.previous();
    at::Tensor from = at::arange(tree.rows(), previous.options()), y;
    for (std::int64_t tap = width - 1; tap >= 0; --tap) {
        const at::Tensor part = whole.index_select(0, from) * taps.select(1, tap);
        y = y.defined() ? y + part : part;
        from = previous.index_select(0, from);
    }
    if (bias.defined())
        y = y + bias.to(at::kFloat);
    return activate(activation, y).to(x.scalar_type()).view(x.sizes());
}

RowSums rowSums(const at::Tensor& logits)
{
    if (!onFloatKernels(logits) || !logits.is_contiguous())
        return {logits.logsumexp(-1), logits.argmax(-1)};
    const std::int64_t rows = logits.size(0), vocabulary = logits.size(1);
    const RowSums sums{at::empty({rows}, at::kFloat), at::empty({rows}, at::kLong)};
    const float* const data = logits.data_ptr<float>();
    float* const logSum = sums.logSum.data_ptr<float>();
    std::int64_t* const best = sums.best.data_ptr<std::int64_t>();
    at::parallel_for(0, rows, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
            cpuKernels().logSumExp(data + i * vocabulary, vocabulary, logSum + i, best + i);
    });
    return sums;
}

} // namespace headscope::lm
