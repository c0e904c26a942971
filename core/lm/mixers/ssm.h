// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What all SSM mixers share around their scan: the causal convolution, masking entries of a matrix that is never built,
// and what is captured. Worker thread.

#include "core/lm/mixers/mixer.h"
#include "core/lm/ops.h"

namespace headscope::lm {

/// Causal depthwise convolution and its activation, in fp32, rounded to the input's dtype at the end.
struct CausalConv {
    at::Tensor weight; ///< [C, 1, K]
    at::Tensor bias;   ///< [C] or undefined
    Activation activation = Activation::Silu;

    [[nodiscard]] std::int64_t taps() const { return weight.size(2); }
    /// What its own tap makes of a token, for the channels [first, first + count): [count, 1].
    [[nodiscard]] at::Tensor ownTap(std::int64_t first, std::int64_t count) const
    {
        return weight.narrow(0, first, count).select(2, weight.size(2) - 1);
    }
    /// The same for some of the channels.
    [[nodiscard]] CausalConv channels(std::int64_t first, std::int64_t count) const
    {
        return {weight.narrow(0, first, count), bias.defined() ? bias.narrow(0, first, count) : bias, activation};
    }
    /// x: [B, T, C]. `window` [B, K-1, C] holds the inputs before the first token (undefined: zeros) and becomes those
    /// before the next.
    /// With a tree x is its packed rows, [1, N, C], and there is no window.
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x, at::Tensor* window,
                                        const DeviceTree* tree = nullptr) const;
};

/// The token before each of x [B, T, D]. `before` [B, 1, D] is the one before the first (undefined: zeros) and becomes
/// the last one. With a tree x is its packed rows, and nothing is before them.
[[nodiscard]] at::Tensor tokensBefore(const at::Tensor& x, at::Tensor* before, const DeviceTree* tree);
/// x with the share of the token before that `share` [D] says in place of its own: RWKV's token shift.
[[nodiscard]] at::Tensor shiftedBefore(const at::Tensor& x, const at::Tensor& share, at::Tensor* before,
                                       const DeviceTree* tree);

/// How a mixer's matrix M is asked for its entries, y = M v.
struct MatrixReader {
    std::function<at::Tensor(int head, std::int64_t first, std::int64_t count)> rows; ///< [B, count, T], D included
    std::function<at::Tensor()> diagonal;                                             ///< [B, T, H]
};

/// y after the site's row, entry and span masks: y loses M[q, k] v_k for a masked entry, and a masked last row keeps
/// nothing or only its own entry. y, values: fp32 [B, T, H, P].
[[nodiscard]] at::Tensor maskMatrix(const at::Tensor& y, const at::Tensor& values, const MixerCall& call,
                                    const MatrixReader& matrix);

/// Keeps the matrix, or what gives rows of it, as the call's convention and masks make it. `rows`: of the heads that
/// are wanted; it holds what it needs. `gate`: [B, T, H*P], before its activation; without it in the
/// convention only its length is read.
void captureMatrix(const MatrixRows& rows, const at::Tensor& gate, int heads, const MixerCall& call,
                   Activation gateActivation = Activation::Silu);

/// Keeps v and y = M v, [B, T, H, P], when they are wanted.
void captureValues(const at::Tensor& values, const at::Tensor& y, const MixerCall& call);
/// Keeps what z is of y, [B, T, H*P], when it is wanted.
void captureGain(const std::function<at::Tensor()>& gain, const MixerCall& call);

/// Multiplies y [B, T, H, P] by edits->preNormScale.
[[nodiscard]] at::Tensor scaleBeforeNorm(const at::Tensor& y, const MixerCall& call);

/// Steps 3 and 4 of every SSM mixer: head edits on z [B, T, H*P], capture, chosen rows, output projection.
[[nodiscard]] at::Tensor projectHeads(const at::Tensor& z, int heads, const Linear& output, MixerCall& call,
                                      bool rowsOnly);

} // namespace headscope::lm
