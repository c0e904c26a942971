// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mamba-1, Falcon-Mamba's, Jamba's and Zamba's variants: every channel is a head of width 1 (arXiv 2312.00752;
// core/lm/README.md). Worker thread.

#include "core/lm/mixers/ssm.h"

namespace headscope::lm {

struct Mamba1Weights {
    Linear input;                               ///< [2E, in]: x, z
    CausalConv conv;                            ///< over x
    Linear parameters;                          ///< [R + 2GN, E]: dt_r, B, C; Zamba has G groups of channels
    Linear step;                                ///< [E, R] with bias
    at::Tensor aLog;                            ///< [E, N]
    at::Tensor d;                               ///< [E]
    Linear output;                              ///< [D, E]
    std::optional<Norm> stepNorm, bNorm, cNorm; ///< Falcon-Mamba (no weights), Jamba (weights)
};

class Mamba1 : public MixerOf<Mamba1Weights>
{
public:
    using MixerOf::MixerOf;
    [[nodiscard]] at::Tensor forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const override;
    [[nodiscard]] HeadMaps headMaps(int head) const override;
    [[nodiscard]] std::optional<ScanScores> scanScores(int head, const at::Tensor& input) const override;
};

} // namespace headscope::lm
