// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Llamba's discrete Mamba-2: the decay comes from the input and no step size scales it (arXiv 2502.14458).
// Worker thread.

#include "core/lm/mixers/ssd.h"
#include "core/lm/mixers/ssm.h"

namespace headscope::lm {

struct DiscreteMamba2Weights {
    Linear input;     ///< [2E + 2GN + H, in]: x, B, C, z, a
    CausalConv conv;  ///< over x, B, C
    at::Tensor zBias; ///< [E] or undefined
    at::Tensor d;     ///< [H]
    Linear output;    ///< [D, E]
    int chunk = 128;
};

class DiscreteMamba2 : public MixerOf<DiscreteMamba2Weights>
{
public:
    using MixerOf::MixerOf;
    [[nodiscard]] at::Tensor forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const override;
    [[nodiscard]] HeadMaps headMaps(int head) const override;
    [[nodiscard]] std::optional<ScanScores> scanScores(int head, const at::Tensor& input) const override;

private:
    [[nodiscard]] SsdTerms matrixTermsOf(const at::Tensor& input, const Linear& columns, const Linear& steps) const;
};

} // namespace headscope::lm
