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

class DiscreteMamba2 : public Mixer
{
public:
    DiscreteMamba2(MixerSpec spec, DiscreteMamba2Weights weights) : m_spec(spec), m_w(std::move(weights)) {}
    [[nodiscard]] at::Tensor forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const override;
    [[nodiscard]] const MixerSpec& spec() const override { return m_spec; }
    [[nodiscard]] const Linear& output() const override { return m_w.output; }
    [[nodiscard]] HeadMaps headMaps(int head) const override;
    [[nodiscard]] std::optional<ScanScores> scanScores(int head, const at::Tensor& input) const override;

private:
    [[nodiscard]] SsdTerms matrixTermsOf(const at::Tensor& input, const Linear& columns, const Linear& steps) const;
    MixerSpec m_spec;
    DiscreteMamba2Weights m_w;
};

} // namespace headscope::lm
