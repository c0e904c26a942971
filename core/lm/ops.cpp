// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/ops.h"

namespace headscope::lm {

at::Tensor Linear::operator()(const at::Tensor& x) const
{
    const at::Tensor y = bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);
    return adapterIn.defined() ? y + at::linear(at::linear(x, adapterIn), adapterOut) : y;
}

at::Tensor Norm::operator()(const at::Tensor& x) const
{
    if (kind == NormKind::Layer)
        return at::layer_norm(x, {x.size(-1)}, weight, bias, eps);
    const at::Tensor x32 = x.to(at::kFloat);
    const at::Tensor normed = x32 * at::rsqrt(x32.square().mean(-1, true) + eps);
    if (kind == NormKind::RmsPlusOne)
        return (normed * (weight.to(at::kFloat) + 1.0)).to(x.scalar_type());
    return weight.defined() ? normed.to(x.scalar_type()) * weight : normed.to(x.scalar_type());
}

Result<Activation> parseActivation(const std::string& name)
{
    if (name == "silu" || name == "swish")
        return Activation::Silu;
    if (name == "gelu")
        return Activation::Gelu;
    if (name == "gelu_new" || name == "gelu_pytorch_tanh")
        return Activation::GeluTanh;
    if (name == "relu")
        return Activation::Relu;
    if (name == "identity")
        return Activation::Identity;
    return inputError("The activation '" + name + "' is not known; expected silu, gelu, gelu_new, gelu_pytorch_tanh, relu or identity.");
}

at::Tensor activate(Activation activation, const at::Tensor& x)
{
    switch (activation) {
    case Activation::Silu: return at::silu(x);
    case Activation::Gelu: return at::gelu(x);
    case Activation::GeluTanh: return at::gelu(x, "tanh");
    case Activation::Relu: return at::relu(x);
    case Activation::Identity: break;
    }
    return x;
}

at::Tensor Mlp::operator()(const at::Tensor& x) const
{
    if (!gate.weight.defined())
        return down(activate(activation, up(x)));
    return down(activate(activation, gate(x)) * up(x));
}

} // namespace headscope::lm
