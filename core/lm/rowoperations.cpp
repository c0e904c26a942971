// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/rowoperations.h"

#include "core/lm/tree/treemixing.h"
#include "core/lm/weights/packedweight.h"

#include <cstring>
#include <vector>

namespace headscope::lm {

bool RowOperations::take(const at::Tensor& stream)
{
    return stream.is_cpu() && stream.numel() == stream.size(-1) && !at::GradMode::is_enabled()
           && (stream.scalar_type() == at::kFloat || stream.scalar_type() == at::kBFloat16);
}

bool RowOperations::take(const Linear& map) const
{
    const at::Tensor& weight = map.weight;
    if (map.adapterIn.defined() || !weight.is_cpu()
        || (map.bias.defined() && (map.bias.scalar_type() != type() || !map.bias.is_contiguous())))
        return false;
    if (packedIn(weight))
        return !m_bfloat;
    return weight.scalar_type() == type()
           && (m_bfloat ? bfloatRowKernel() && weight.stride(1) == 1
                        : linearKernel() && (weight.stride(0) == 1 || weight.stride(1) == 1));
}

bool RowOperations::take(const Mlp& mlp) const
{
    return !mlp.xielu && mlp.limit == 0 && (!mlp.gate.weight.defined() || take(mlp.gate)) && take(mlp.up)
           && take(mlp.down);
}

void RowOperations::read(const at::Tensor& from, float* to) const
{
    const at::Tensor whole = from.contiguous();
    if (m_bfloat)
        cpuKernels().widen(static_cast<const std::uint16_t*>(whole.data_ptr()), to, whole.numel());
    else
        std::memcpy(to, whole.data_ptr(), whole.nbytes());
}

void RowOperations::write(const float* from, std::int64_t count, void* to) const
{
    if (!m_bfloat) {
        std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
        return;
    }
    auto* const halves = static_cast<std::uint16_t*>(to);
    for (std::int64_t i = 0; i < count; ++i) // they are rounded
        halves[i] = static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, from[i]) >> 16);
}

void RowOperations::round(float* x, std::int64_t count) const
{
    if (m_bfloat)
        cpuKernels().roundToBfloat(x, count);
}

void RowOperations::add(const float* x, float* to, std::int64_t count) const
{
    for (std::int64_t i = 0; i < count; ++i)
        to[i] += x[i];
    round(to, count);
}

void RowOperations::multiply(float* x, const float* factors, std::int64_t count) const
{
    for (std::int64_t i = 0; i < count; ++i)
        x[i] *= factors[i];
    round(x, count);
}

void RowOperations::multiply(float* x, double factor, std::int64_t count) const
{
    for (std::int64_t i = 0; i < count; ++i)
        x[i] *= static_cast<float>(factor);
    round(x, count);
}

void RowOperations::apply(const Linear& map, const float* x, float* out) const
{
    const std::int64_t outs = map.weight.size(0), in = map.weight.size(1);
    const float* const bias = map.bias.defined() && !m_bfloat ? map.bias.data_ptr<float>() : nullptr;
    if (const PackedWeight* const packed = packedIn(map.weight))
        return packed->multiply({.x = x, .bias = bias, .out = out, .outStride = outs, .rows = 1});
    if (!m_bfloat)
        return multiplyRows({.x = x,
                             .weight = map.weight.data_ptr<float>(),
                             .bias = bias,
                             .out = out,
                             .xStride = in,
                             .outStride = outs,
                             .outStep = map.weight.stride(0),
                             .inStep = map.weight.stride(1),
                             .rows = 1,
                             .in = in,
                             .outs = outs});
    multiplyRow({.x = x,
                 .weight = static_cast<const std::uint16_t*>(map.weight.data_ptr()),
                 .out = out,
                 .outStep = map.weight.stride(0),
                 .in = in,
                 .outs = outs});
    if (!map.bias.defined())
        return round(out, outs);
    std::vector<float> addend(static_cast<std::size_t>(outs));
    read(map.bias, addend.data());
    add(addend.data(), out, outs); // and rounds
}

// For what has no loop of its own.
at::Tensor RowOperations::asTensor(const float* x, std::int64_t rows, std::int64_t width) const
{
    at::Tensor out = at::empty({1, rows, 1, width}, at::TensorOptions(type()));
    write(x, rows * width, out.data_ptr());
    return out;
}

void RowOperations::apply(const Norm& norm, const float* x, float* out, std::int64_t rows, std::int64_t width) const
{
    const at::Tensor& weight = norm.weight;
    if (norm.kind != NormKind::Rms || (weight.defined() && (weight.dim() != 1 || weight.scalar_type() != type())))
        return read(norm(asTensor(x, rows, width)), out);
    const auto eps = static_cast<float>(norm.eps);
    if (!m_bfloat)
        return cpuKernels().rmsNorm(x, weight.defined() ? weight.data_ptr<float>() : nullptr, out, rows, width, eps);
    cpuKernels().rmsNorm(x, nullptr, out, rows, width, eps);
    round(out, rows * width);
    if (!weight.defined())
        return;
    std::vector<float> factors(static_cast<std::size_t>(width));
    read(weight, factors.data());
    for (std::int64_t row = 0; row < rows; ++row)
        multiply(out + row * width, factors.data(), width);
}

void RowOperations::apply(const Mlp& mlp, const float* x, float* out) const
{
    const std::int64_t inner = mlp.up.weight.size(0);
    const bool gated = mlp.gate.weight.defined(), silu = mlp.activation == Activation::Silu;
    std::vector<float> both(static_cast<std::size_t>(2 * inner));
    float *const first = both.data(), *const second = first + inner;
    apply(gated ? mlp.gate : mlp.up, x, first);
    if (gated)
        apply(mlp.up, x, second);
    if (gated && silu && !m_bfloat) {
        cpuKernels().gatedSilu(first, second, inner);
        return apply(mlp.down, first, out);
    }
    if (silu)
        cpuKernels().gatedSilu(first, nullptr, inner);
    else if (mlp.activation == Activation::GeluTanh)
        cpuKernels().geluTanh(first, inner);
    else
        read(activate(mlp.activation, asTensor(first, 1, inner)), first);
    round(first, inner);
    if (gated)
        multiply(first, second, inner);
    apply(mlp.down, first, out);
}

} // namespace headscope::lm
