// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Code that all SSM mixers share around their scan: the causal convolution, masking entries of a matrix that is never
// built, and capture. Worker thread.

#include "core/lm/mixers/mixer.h"
#include "core/lm/ops.h"

namespace headscope::lm {

/// A causal depthwise convolution with activation, in fp32, rounded to the input's dtype at the end.
struct CausalConv {
    at::Tensor weight; ///< [C, 1, K]
    at::Tensor bias;   ///< [C] or undefined
    Activation activation = Activation::Silu;

    [[nodiscard]] std::int64_t taps() const { return weight.size(2); }
    /// Returns the tap of a token on itself, for the channels [first, first + count): [count, 1].
    [[nodiscard]] at::Tensor ownTap(std::int64_t first, std::int64_t count) const
    {
        return weight.narrow(0, first, count).select(2, weight.size(2) - 1);
    }
    /// Returns the convolution of some of the channels.
    [[nodiscard]] CausalConv channels(std::int64_t first, std::int64_t count) const
    {
        return {weight.narrow(0, first, count), bias.defined() ? bias.narrow(0, first, count) : bias, activation};
    }
    /// Convolves x [B, T, C]. `window` [B, K-1, C] contains the inputs before the first token (undefined: zeros) and
    /// becomes those before the next.
    /// With a tree x is its packed rows, [1, N, C], and there is no window.
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x, at::Tensor* window,
                                        const DeviceTree* tree = nullptr) const;
};

/// Returns the previous token of each of x [B, T, D]. `before` [B, 1, D] is the one before the first (undefined: zeros)
/// and becomes the last one. With a tree x is its packed rows, preceded by zeros.
[[nodiscard]] at::Tensor tokensBefore(const at::Tensor& x, at::Tensor* before, const DeviceTree* tree);
/// Returns x mixed with the previous token by `share` [D] (0: own, 1: previous): RWKV's token shift.
[[nodiscard]] at::Tensor shiftedBefore(const at::Tensor& x, const at::Tensor& share, at::Tensor* before,
                                       const DeviceTree* tree);

/// Access to the entries of a mixer's matrix M, y = M v.
struct MatrixReader {
    std::function<at::Tensor(int head, std::int64_t first, std::int64_t count)> rows; ///< [B, count, T], D included
    std::function<at::Tensor()> diagonal;                                             ///< [B, T, H]
};

/// Returns y after the site's row, entry and span masks: y loses M[q, k] v_k for a masked entry, and a masked last row
/// keeps nothing or only its own entry. y, values: fp32 [B, T, H, P].
[[nodiscard]] at::Tensor maskMatrix(const at::Tensor& y, const at::Tensor& values, const MixerCall& call,
                                    const MatrixReader& matrix);

/// Stores the matrix, or a function that computes its rows, by the call's convention and masks. `rows`: of the
/// requested heads; owns the data that it needs. `gate`: [B, T, H*P], before its activation; without the gate in the
/// convention only its length is read.
void captureMatrix(const MatrixRows& rows, const at::Tensor& gate, int heads, const MixerCall& call,
                   Activation gateActivation = Activation::Silu);

/// Stores v and y = M v, [B, T, H, P], when they are requested.
void captureValues(const at::Tensor& values, const at::Tensor& y, const MixerCall& call);
/// Stores the factor from y to z, [B, T, H*P], when it is requested.
void captureGain(const std::function<at::Tensor()>& gain, const MixerCall& call);

/// Multiplies y [B, T, H, P] by edits->preNormScale.
[[nodiscard]] at::Tensor scaleBeforeNorm(const at::Tensor& y, const MixerCall& call);

/// Runs the last steps of every SSM mixer: head edits on z [B, T, H*P], capture, chosen rows, output projection.
[[nodiscard]] at::Tensor projectHeads(const at::Tensor& z, int heads, const Linear& output, MixerCall& call,
                                      bool rowsOnly);

} // namespace headscope::lm
