// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The matrix memory of xLSTM (Beck et al. 2024, arXiv 2405.04517; 2025, arXiv 2503.13427): linear attention with
// exponential input gates, forget gates, and rows that are divided by a normalizer state. Worker thread.

#include "core/lm/mixers/ssd.h"
#include "core/lm/mixers/ssm.h"

namespace headscope::lm {

struct MlstmWeights {
    Linear query, key;            ///< [H*N, D]
    Linear value;                 ///< [H*P, D]
    Linear gate;                  ///< [H*P, D]; its sigmoid is a factor after the norm
    Linear inputGate, forgetGate; ///< [H, D]
    double gateCap = 15.0;        ///< input and forget gates: cap * tanh(x / cap)
    at::Tensor normWeight;        ///< [H*P], weight of a LayerNorm over each head
    double normEps = 1e-6, eps = 1e-6;
    Linear output; ///< [D, H*P]
    int chunk = 64;
};

/// M[t, s] = (q_t . k_s) N^(-1/2) f_(s+1) ... f_t exp(i_s) / (max(|sum over s of that|, 1) + eps exp(m_t)), with f the
/// sigmoid of the forget gate, i the input gate and m_t the largest exponent, by which the reference scales.
class Mlstm : public MixerOf<MlstmWeights>
{
public:
    using MixerOf::MixerOf;
    [[nodiscard]] at::Tensor forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const override;
    [[nodiscard]] HeadMaps headMaps(int head) const override;

private:
    [[nodiscard]] SsdTerms termsOf(const at::Tensor& input, const MixerCall& call) const;
    [[nodiscard]] at::Tensor mix(const SsdTerms& terms, const at::Tensor& gate, MixerCall& call) const;
};

} // namespace headscope::lm
