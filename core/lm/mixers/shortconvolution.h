// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// LFM2's gated short convolution (Liquid AI 2025, arXiv 2511.23404): every channel is a head of width 1 that reads only
// the last few tokens. Worker thread.

#include "core/lm/mixers/ssm.h"

namespace headscope::lm {

struct ShortConvolutionWeights {
    Linear input;    ///< [3D, D]: B, C, x
    CausalConv conv; ///< over B x
    Linear output;   ///< [D, D]
};

/// y_t = C_t sum over k of w[k] B_(t-k) x_(t-k): M[t, s] = C_t w[t-s] B_s for t - s below the taps, else 0. A bias of
/// the convolution is added after y.
class ShortConvolution : public MixerOf<ShortConvolutionWeights>
{
public:
    using MixerOf::MixerOf;
    [[nodiscard]] at::Tensor forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const override;
    [[nodiscard]] HeadMaps headMaps(int head) const override;
    [[nodiscard]] unsigned inputParts() const override { return kQuery | kKey | kValue; }

private:
    [[nodiscard]] at::Tensor rows(const at::Tensor& b, const at::Tensor& c, int head, std::int64_t first,
                                  std::int64_t count) const;
};

} // namespace headscope::lm
