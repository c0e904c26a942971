// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mixing along a tree of tokens, on tensors: by the loops of cpukernels.h on the CPU, elsewhere prompt by prompt.
// Worker thread.

#include "core/lm/kernels/cpukernels.h"
#include "core/lm/kernels/cpulinear.h"
#include "core/lm/mixers/mixer.h"
#include "core/lm/mixers/ssd.h"
#include "core/lm/ops.h"

#include <ATen/core/grad_mode.h>

#include <functional>

namespace headscope::lm {

/// Returns whether the CPU loops may be used: all tensors are on the CPU and no gradient is needed. Ignores undefined
/// ones.
template <typename... Tensors> [[nodiscard]] bool onKernels(const Tensors&... tensors)
{
    const bool grad = at::GradMode::is_enabled();
    return ((!tensors.defined() || (tensors.is_cpu() && !(grad && tensors.requires_grad()))) && ...);
}

/// Returns the same, and whether all are fp32.
template <typename... Tensors> [[nodiscard]] bool onFloatKernels(const Tensors&... tensors)
{
    return onKernels(tensors...) && ((!tensors.defined() || tensors.scalar_type() == at::kFloat) && ...);
}

/// Returns x weight^T + bias like at::linear, by Headscope's CPU product where that is faster. x: [..., in].
[[nodiscard]] at::Tensor linearOf(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});
/// Writes the same into `out`; x: fp32 [N, in] on the CPU.
void linearInto(at::Tensor& out, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);
// The kernels of these on all threads, where the processor has them.
void multiplyRow(const BfloatRow& row);
void multiplyRows(const LinearRows& rows);

/// One call of softmax attention on packed rows; q, k, v fp32 on the CPU.
struct AttentionCall {
    at::Tensor q;    ///< [R, H, P]
    at::Tensor k, v; ///< [N, G, P]; v undefined: only the matrix is needed
    const TokenTree& tree;
    const std::vector<std::int64_t>* rows = nullptr; ///< ascending rows of the queries; null: all
    double scale = 1.0, softCap = 0.0;
    int window = 0;
    std::vector<int> heads;       ///< heads whose patterns are wanted, if `matrix` is set
    at::Tensor* matrix = nullptr; ///< out: [prompts, h, T, T]; only for trees without common prefixes. With `rows` of
                                  ///< one prompt: [1, h, R, T]
};

/// Returns z, [R, H*P]; undefined without v.
[[nodiscard]] at::Tensor attend(const AttentionCall& call);

/// Returns y [1, N, H, P] of the scan of terms [1, N, ...]; no state before the first tokens.
[[nodiscard]] at::Tensor ssdAlongTree(const SsdTerms& terms, const DeviceTree& tree);

/// Scans segments side by side: returns y [S, T, ...] from their terms, [S, T, ...] each, and the states [S, ...]
/// before them (undefined: none), which become those after them. Zeros in every term must leave a state unchanged.
using SegmentScan = std::function<at::Tensor(const std::vector<at::Tensor>& terms, at::Tensor& states)>;
/// Runs the scan level by level, each segment from the state at its parent's end. terms: [1, N, ...]; returns [1, N,
/// ...].
[[nodiscard]] at::Tensor alongTree(const DeviceTree& tree, const std::vector<at::Tensor>& terms,
                                   const SegmentScan& scan);

/// Returns the causal depthwise convolution of x [1, N, C] with weight [C, 1, K], in fp32.
[[nodiscard]] at::Tensor convAlongTree(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                       Activation activation, const DeviceTree& tree);

/// For each row of logits [R, V], fp32: the log of the sum of exponentials, and the index of the first maximum. On the
/// device of the logits.
struct RowSums {
    at::Tensor logSum; ///< fp32 [R]
    at::Tensor best;   ///< int64 [R]
};
[[nodiscard]] RowSums rowSums(const at::Tensor& logits);

} // namespace headscope::lm
