// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/ops.h"

#include "core/base/giveway.h"
#include "core/io/textfiles/quote.h"
#include "core/lm/tree/treemixing.h"
#include "core/lm/weights/packedweight.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <utility>

namespace headscope::lm {

namespace {

// Rows of the MLP's inner layer at one time: they stay in the processor's cache between its steps.
constexpr std::int64_t kTileRows = 512;

// Products are what takes long on the processor. A GPU only takes down what to do, and that in one piece.
void beforeProduct(const at::Tensor& x)
{
    if (x.is_cpu() && !at::in_parallel_region())
        giveWay();
}

// The same on the way back, which runs on the thread that asks for it: the gradient of `y` is where it begins.
void beforeProductsBack(const at::Tensor& y)
{
    if (y.requires_grad() && y.is_cpu() && givesWay())
        y.register_hook([](const at::Tensor&) { giveWay(); });
}

} // namespace

at::Tensor Linear::operator()(const at::Tensor& x) const
{
    beforeProduct(x);
    const at::Tensor y = linearOf(x, weight, bias);
    beforeProductsBack(y);
    return adapterIn.defined() ? y + at::linear(at::linear(x, adapterIn), adapterOut) : y;
}

Linear Linear::outputs(std::int64_t first, std::int64_t count) const
{
    const auto part = [&](const at::Tensor& x) { return x.defined() ? x.narrow(0, first, count) : x; };
    return {part(weight), part(bias), adapterIn, part(adapterOut)};
}

Linear Linear::floatOutputs(std::int64_t first, std::int64_t count) const
{
    const auto in32 = [](const at::Tensor& x) { return x.defined() ? x.to(at::kFloat) : x; };
    const Linear part = Linear{denseOf(weight), bias, adapterIn, adapterOut}.outputs(first, count);
    return {in32(part.weight), in32(part.bias), in32(part.adapterIn), in32(part.adapterOut)};
}

at::Tensor Norm::operator()(const at::Tensor& x) const
{
    if (kind == NormKind::None)
        return x;
    if (weight.defined() && weight.dim() == 2)
        return Norm{kind, {}, {}, eps}(x)*weight.unsqueeze(1);
    if (kind == NormKind::Layer)
        return at::layer_norm(x, {x.size(-1)}, weight, bias, eps);
    if (kind == NormKind::Rms && onFloatKernels(x, weight) && x.is_contiguous()) {
        at::Tensor out = at::empty_like(x);
        const std::int64_t width = x.size(-1);
        at::parallel_for(0, x.numel() / width, 256, [&](std::int64_t first, std::int64_t last) {
            cpuKernels().rmsNorm(x.data_ptr<float>() + first * width,
                                 weight.defined() ? weight.data_ptr<float>() : nullptr,
                                 out.data_ptr<float>() + first * width, last - first, width, static_cast<float>(eps));
        });
        return out;
    }
    const at::Tensor x32 = x.to(at::kFloat);
    const at::Tensor normed = x32 * at::rsqrt(x32.square().mean(-1, true) + eps);
    if (kind == NormKind::RmsPlusOne)
        return (normed * (weight.to(at::kFloat) + 1.0)).to(x.scalar_type());
    return weight.defined() ? normed.to(x.scalar_type()) * weight : normed.to(x.scalar_type());
}

Result<Activation> parseActivation(const std::string& name)
{
    using enum Activation;
    constexpr std::pair<const char*, Activation> kNames[] = {
        {"silu", Silu},
        {"swish", Silu},
        {"gelu", Gelu},
        {"gelu_python", Gelu},
        {"gelu_new", GeluTanh},
        {"gelu_pytorch_tanh", GeluTanh},
        {"gelu_fast", GeluTanh}, // these differ in rounding alone
        {"gelu_accurate", GeluTanh},
        {"gelu_python_tanh", GeluTanh},
        {"gelu_10", GeluClipped},
        {"quick_gelu", QuickGelu},
        {"relu", Relu},
        {"relu2", ReluSquared},
        {"sqrelu", ReluSquared},
        {"relu6", Relu6},
        {"leaky_relu", LeakyRelu},
        {"hardswish", HardSwish},
        {"mish", Mish},
        {"laplace", Laplace},
        {"sigmoid", Sigmoid},
        {"tanh", Tanh},
        {"linear", Identity},
        {"identity", Identity},
    };
    std::string known;
    for (const auto& [other, activation] : kNames) {
        if (name == other)
            return activation;
        known += (known.empty() ? "" : ", ") + std::string(other);
    }
    return inputError("The activation " + io::inQuotes(name) + " is not known; expected one of " + known + ".");
}

at::Tensor activate(Activation activation, const at::Tensor& x)
{
    switch (activation) {
    case Activation::Silu: return at::silu(x);
    case Activation::Gelu: return at::gelu(x);
    case Activation::GeluTanh: return at::gelu(x, "tanh");
    case Activation::Relu: return at::relu(x);
    case Activation::ReluSquared: return at::relu(x).square();
    case Activation::Sigmoid: return at::sigmoid(x);
    case Activation::Tanh: return at::tanh(x);
    case Activation::QuickGelu: return x * at::sigmoid(1.702 * x);
    case Activation::GeluClipped: return at::gelu(x).clamp(-10, 10);
    case Activation::HardSwish: return at::hardswish(x);
    case Activation::Laplace: return 0.5 * (1.0 + at::erf((x - 0.707107) / (0.282095 * std::sqrt(2.0))));
    case Activation::LeakyRelu: return at::leaky_relu(x);
    case Activation::Mish: return at::mish(x);
    case Activation::Relu6: return at::relu6(x);
    case Activation::Identity: break;
    }
    return x;
}

at::Tensor Xielu::operator()(const at::Tensor& x) const
{
    const at::Tensor low = (at::expm1(at::minimum(x, eps)) - x) * (beta + at::softplus(negative));
    return at::where(x > 0, at::softplus(positive) * x * x, low) + beta * x;
}

at::Tensor Mlp::activated(const at::Tensor& x) const
{
    return xielu ? (*xielu)(x) : activate(activation, x);
}

at::Tensor Mlp::operator()(const at::Tensor& x) const
{
    if (limit > 0) {
        const at::Tensor g = gate(x).clamp_max(limit);
        return down((up(x).clamp(-limit, limit) + 1) * (g * at::sigmoid(g * 1.702)));
    }
    if (onFloatKernels(x, down.weight, up.weight, gate.weight) && x.is_contiguous() && !down.adapterIn.defined())
        return inTiles(x.view({-1, x.size(-1)})).view(x.sizes());
    if (!gate.weight.defined())
        return down(activated(up(x)));
    return down(activated(gate(x)) * up(x));
}

at::Tensor Mlp::inTiles(const at::Tensor& x) const
{
    at::Tensor out = at::empty({x.size(0), down.weight.size(0)}, x.options());
    for (std::int64_t begin = 0; begin < x.size(0); begin += kTileRows) {
        const std::int64_t count = std::min(kTileRows, x.size(0) - begin);
        const at::Tensor rows = x.narrow(0, begin, count);
        at::Tensor inner = gate.weight.defined() ? gate(rows) : up(rows);
        if (gate.weight.defined() && activation == Activation::Silu) {
            const at::Tensor other = up(rows);
            at::parallel_for(0, inner.numel(), 16384, [&](std::int64_t first, std::int64_t last) {
                cpuKernels().gatedSilu(inner.data_ptr<float>() + first, other.data_ptr<float>() + first, last - first);
            });
        } else {
            if (activation == Activation::GeluTanh)
                at::parallel_for(0, inner.numel(), 16384, [&](std::int64_t first, std::int64_t last) {
                    cpuKernels().geluTanh(inner.data_ptr<float>() + first, last - first);
                });
            else
                inner = activated(inner);
            inner = gate.weight.defined() ? inner.mul_(up(rows)) : inner;
        }
        at::Tensor part = out.narrow(0, begin, count);
        beforeProduct(inner);
        linearInto(part, inner, down.weight, down.bias);
    }
    return out;
}

} // namespace headscope::lm
