// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mixing along a tree of tokens, on tensors: by the loops of cpukernels.h on the processor, elsewhere text by text.
// Worker thread.

#include "core/lm/mixers/mixer.h"
#include "core/lm/mixers/ssd.h"
#include "core/lm/ops.h"

#include <ATen/core/grad_mode.h>

#include <functional>

namespace headscope::lm {

/// Whether the processor's own loops may be used: all on the CPU and no gradient asked for. Undefined ones do not
/// count.
template <typename... Tensors> [[nodiscard]] bool onKernels(const Tensors&... tensors)
{
    const bool grad = at::GradMode::is_enabled();
    return ((!tensors.defined() || (tensors.is_cpu() && !(grad && tensors.requires_grad()))) && ...);
}

/// The same, and all fp32.
template <typename... Tensors> [[nodiscard]] bool onFloatKernels(const Tensors&... tensors)
{
    return onKernels(tensors...) && ((!tensors.defined() || tensors.scalar_type() == at::kFloat) && ...);
}

/// x weight^T + bias like at::linear, by the processor's own product where that is the faster one. x: [..., in].
[[nodiscard]] at::Tensor linearOf(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});
/// The same into `out`; x: fp32 [N, in] on the CPU.
void linearInto(at::Tensor& out, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// One call of softmax attention on packed rows; q, k, v fp32 on the CPU.
struct AttentionCall {
    at::Tensor q;    ///< [R, H, P]
    at::Tensor k, v; ///< [N, G, P]; v undefined: nothing but the matrix is wanted
    const TokenTree& tree;
    const std::vector<std::int64_t>* rows = nullptr; ///< ascending rows of the queries; null: all
    double scale = 1.0, softCap = 0.0;
    int window = 0;
    std::vector<int> heads;       ///< whose patterns are wanted, if `matrix` is there
    at::Tensor* matrix = nullptr; ///< out: [texts, h, T, T]; trees that share nothing only. With `rows` of one text:
                                  ///< [1, h, R, T]
};

/// z: [R, H*P]; undefined without v.
[[nodiscard]] at::Tensor attend(const AttentionCall& call);

/// y of the scan of terms [1, N, ...], [1, N, H, P]; no state before the first tokens.
[[nodiscard]] at::Tensor ssdAlongTree(const SsdTerms& terms, const DeviceTree& tree);

/// y [S, T, ...] of segments beside each other from their terms, [S, T, ...] each, and the states [S, ...] before them
/// (undefined: none), which become those behind them. Zeros in every term must leave a state as it is.
using SegmentScan = std::function<at::Tensor(const std::vector<at::Tensor>& terms, at::Tensor& states)>;
/// Runs the scan level by level, each segment from the state at its parent's end. terms: [1, N, ...]; returns [1, N,
/// ...].
[[nodiscard]] at::Tensor alongTree(const DeviceTree& tree, const std::vector<at::Tensor>& terms,
                                   const SegmentScan& scan);

/// The causal depthwise convolution of x [1, N, C] with weight [C, 1, K], in fp32.
[[nodiscard]] at::Tensor convAlongTree(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                       Activation activation, const DeviceTree& tree);

/// For each row of logits [R, V], fp32: the log of the sum of exponentials, and the first place of the largest. On
/// their device.
struct RowSums {
    at::Tensor logSum; ///< fp32 [R]
    at::Tensor best;   ///< int64 [R]
};
[[nodiscard]] RowSums rowSums(const at::Tensor& logits);

} // namespace headscope::lm
