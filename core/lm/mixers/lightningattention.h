// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lightning attention (Qin et al. 2024, arXiv 2401.04658) as in MiniMax-01: linear attention with a separate decay for
// each head, the same at every token. Worker thread.

#include "core/lm/mixers/ssm.h"

namespace headscope::lm {

struct LightningAttentionWeights {
    Linear queryKeyValue;                     ///< [H*3P, D], by head q, k, v
    Activation activation = Activation::Silu; ///< of q, k and v
    Linear gate;                              ///< [H*P, D]; its sigmoid is a factor after the norm
    Norm norm;                                ///< over H*P
    Linear output;                            ///< [D, H*P]
    at::Tensor slopes;                        ///< fp32 [H]: subtracted from the log decay at each token
    int chunk = 128;
};

/// M[t, s] = (q_t . k_s) exp(-slope (t - s)).
class LightningAttention : public MixerOf<LightningAttentionWeights>
{
public:
    using MixerOf::MixerOf;
    [[nodiscard]] at::Tensor forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const override;
    [[nodiscard]] HeadMaps headMaps(int head) const override;
    [[nodiscard]] std::optional<ScanScores> scanScores(int head, const at::Tensor& input) const override;
    [[nodiscard]] unsigned inputParts() const override { return kQuery | kKey | kValue | kGate; }
};

} // namespace headscope::lm
