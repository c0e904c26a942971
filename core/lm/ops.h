// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small building blocks shared by all families: norms, linear maps, rotary embedding, activations. Pure functions on
// tensors, safe under autograd. Worker thread.

#include "core/base/result.h"

#include <ATen/ATen.h>

#include <string>
#include <utility>

namespace headscope::lm {

struct Linear {
    at::Tensor weight;                ///< [out, in]
    at::Tensor bias;                  ///< [out] or undefined
    at::Tensor adapterIn, adapterOut; ///< [r, in], [out, r]: a low-rank map that is added (Zamba2); undefined: none
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;
};

enum class NormKind { Rms, RmsPlusOne, Layer };

/// RMSNorm as Llama's (statistics in fp32, downcast before the weight), Gemma's (1 + weight, all in fp32), or
/// LayerNorm. No weight and no bias where undefined.
struct Norm {
    NormKind kind = NormKind::Rms;
    at::Tensor weight;
    at::Tensor bias;
    double eps = 1e-5;
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;
};

enum class Activation { Silu, Gelu, GeluTanh, Relu, Identity };

/// Names of `hidden_act`; fails for any other.
[[nodiscard]] Result<Activation> parseActivation(const std::string& name);
[[nodiscard]] at::Tensor activate(Activation activation, const at::Tensor& x);

/// Rotary embedding over the first `2 * inverseFrequencies.size(0)` dims of each head, half rotation.
struct Rope {
    at::Tensor inverseFrequencies; ///< fp32 [D/2]; undefined: no rotation
    double attentionFactor = 1.0;  ///< multiplies cos and sin (yarn)
    // `dynamic` scaling depends on the length of the text:
    double dynamicFactor = 0.0; ///< 0: not dynamic
    double theta = 10000.0;
    std::int64_t maxPositions = 0;

    [[nodiscard]] bool defined() const { return inverseFrequencies.defined(); }
    /// cos and sin of the positions from `first` to below `length`, fp32 [length - first, D/2].
    [[nodiscard]] std::pair<at::Tensor, at::Tensor> tables(std::int64_t length, std::int64_t first = 0) const;
    /// x: [B, H, T, P]; positions: int64 [T] or [B, T]; length: positions known so far (dynamic scaling).
    [[nodiscard]] at::Tensor rotate(const at::Tensor& x, const at::Tensor& positions, std::int64_t length) const;
    [[nodiscard]] at::Tensor frequenciesFor(std::int64_t length) const; ///< [D/2]
};

struct Mlp {
    Linear gate; ///< weight undefined: plain two-layer MLP
    Linear up;
    Linear down;
    Activation activation = Activation::Silu;
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;

private:
    [[nodiscard]] at::Tensor inTiles(const at::Tensor& x) const; ///< x: [N, in], fp32 on the CPU
};

} // namespace headscope::lm
