// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small building blocks shared by all families: norms, linear maps, rotary embedding, activations. Pure functions on
// tensors, safe under autograd. Worker thread.

#include "core/base/result.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <utility>

namespace headscope::lm {

struct Linear {
    at::Tensor weight;                ///< [out, in]
    at::Tensor bias;                  ///< [out] or undefined
    at::Tensor adapterIn, adapterOut; ///< [r, in], [out, r]: an added low-rank map (Zamba2); undefined: none
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;
    /// Returns the rows for some of the outputs; not for a packed weight.
    [[nodiscard]] Linear outputs(std::int64_t first, std::int64_t count) const;
    /// Returns the same in fp32; the weight may be packed.
    [[nodiscard]] Linear floatOutputs(std::int64_t first, std::int64_t count) const;
};

enum class NormKind { Rms, RmsPlusOne, Layer, None };

/// RMSNorm as in Llama (statistics in fp32, downcast before the weight) or Gemma (1 + weight, all in fp32), or
/// LayerNorm. Undefined weight or bias: none; a weight of [H, P] is one for each head of x [B, H, T, P]. None: the
/// identity.
struct Norm {
    NormKind kind = NormKind::Rms;
    at::Tensor weight;
    at::Tensor bias;
    double eps = 1e-5;
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;
};

enum class Activation {
    Silu,
    Gelu,
    GeluTanh,
    Relu,
    Identity,
    ReluSquared,
    Sigmoid,
    Tanh,
    QuickGelu,
    GeluClipped,
    HardSwish,
    Laplace,
    LeakyRelu,
    Mish,
    Relu6
};

/// Parses a `hidden_act` of transformers, except those with weights of their own; fails for any other name.
[[nodiscard]] Result<Activation> parseActivation(const std::string& name);
[[nodiscard]] at::Tensor activate(Activation activation, const at::Tensor& x);

/// Rotary embedding over the first `2 * inverseFrequencies.size(0)` dims of each head, half rotation.
struct Rope {
    at::Tensor inverseFrequencies; ///< fp32 [D/2]; undefined: no rotation
    double attentionFactor = 1.0;  ///< multiplies cos and sin (yarn)
    at::Tensor longFrequencies;    ///< longrope: used for a prompt longer than maxPositions; undefined: none
    // `dynamic` scaling depends on the length of the prompt:
    double dynamicFactor = 0.0; ///< 0: not dynamic
    double theta = 10000.0;
    std::int64_t maxPositions = 0;

    [[nodiscard]] bool defined() const { return inverseFrequencies.defined(); }
    /// Returns cos and sin for positions from `first` up to but excluding `length`, fp32 [length - first, D/2].
    [[nodiscard]] std::pair<at::Tensor, at::Tensor> tables(std::int64_t length, std::int64_t first = 0) const;
    /// Rotates x [B, H, T, P]; positions: int64 [T] or [B, T]; length: positions known so far (dynamic scaling).
    [[nodiscard]] at::Tensor rotate(const at::Tensor& x, const at::Tensor& positions, std::int64_t length) const;
    [[nodiscard]] at::Tensor frequenciesFor(std::int64_t length) const; ///< [D/2]
    /// Returns the length beyond which all rotations depend on the prompt's total length; 0: they never do.
    [[nodiscard]] std::int64_t turnsBeyond() const
    {
        return dynamicFactor > 0 || longFrequencies.defined() ? maxPositions : 0;
    }
};

/// xIELU (arXiv 2411.13010), which grows quadratically where x is positive; the slopes are learned.
struct Xielu {
    at::Tensor positive, negative; ///< [1], before their softplus
    at::Tensor beta, eps;          ///< []
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;
};

struct Mlp {
    Linear gate; ///< weight undefined: plain two-layer MLP
    Linear up;
    Linear down;
    Activation activation = Activation::Silu;
    double limit = 0.0; ///< gpt-oss: gate and up are clamped to it and joined as (up + 1) gate sigmoid(1.702 gate); 0:
                        ///< activation(gate) up
    std::optional<Xielu> xielu; ///< instead of the activation
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;

private:
    [[nodiscard]] at::Tensor activated(const at::Tensor& x) const;
    [[nodiscard]] at::Tensor inTiles(const at::Tensor& x) const; ///< x: [N, in], fp32 on the CPU
};

} // namespace headscope::lm
