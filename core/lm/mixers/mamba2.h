// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mamba-2 as in state-spaces, Zamba2, Bamba, Granite and Falcon-H1 (arXiv 2405.21060; core/lm/README.md). Worker
// thread.

#include "core/lm/mixers/ssd.h"
#include "core/lm/mixers/ssm.h"

namespace headscope::lm {

struct Mamba2Weights {
    Linear input;          ///< [2E + 2GN + H, in]: z, x, B, C, dt
    CausalConv conv;       ///< over x, B, C: E + 2GN channels
    at::Tensor dtBias;     ///< [H]
    at::Tensor aLog;       ///< [H]
    at::Tensor d;          ///< [H]
    at::Tensor normWeight; ///< [E]; undefined: no norm, z = y * silu(gate)
    Linear output;         ///< [D, E]
    int normGroups = 1;
    double normEps = 1e-5;
    bool normBeforeGate = false; ///< Falcon-H1's option
    double dtLow = 0.0;          ///< limits of the step size
    double dtHigh = std::numeric_limits<double>::infinity();
    int chunk = 128;
    at::Tensor inputScale; ///< [2E + 2GN + H], Falcon-H1's multipliers; undefined: 1
};

class Mamba2 : public MixerOf<Mamba2Weights>
{
public:
    using MixerOf::MixerOf;
    [[nodiscard]] at::Tensor forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const override;
    [[nodiscard]] HeadMaps headMaps(int head) const override;
    [[nodiscard]] std::optional<ScanScores> scanScores(int head, const at::Tensor& input) const override;

private:
    [[nodiscard]] at::Tensor gateAndNorm(const at::Tensor& y, const at::Tensor& gate) const;
    [[nodiscard]] SsdTerms matrixTermsOf(const at::Tensor& input, const Linear& columns) const;
    [[nodiscard]] at::Tensor scaled(const at::Tensor& projected, std::int64_t first) const;
    void setSteps(SsdTerms& terms, const at::Tensor& dt) const;
    [[nodiscard]] at::Tensor gainOf(const at::Tensor& y, const at::Tensor& gate) const;
};

/// Runs the scan of `terms` with masks, state and capture as the call requests. y: fp32 [B, T, H, P]. `gate` [B, T,
/// H*P] is used if the matrix is captured with the gate: row t times the head's mean gate.
[[nodiscard]] at::Tensor runSsd(const SsdTerms& terms, const at::Tensor& gate, int chunk, MixerCall& call,
                                Activation gateActivation = Activation::Silu);

/// Stores the matrices of these terms, or a function that computes rows of them; see captureMatrix().
void captureSsdMatrix(const SsdTerms& terms, const at::Tensor& gate, const MixerCall& call,
                      Activation gateActivation = Activation::Silu);
/// Returns the factors of one head's matrix; `taps`: length of its convolution.
[[nodiscard]] ScanScores ssdScores(const SsdTerms& terms, int head, std::int64_t taps);
/// Returns whether a call needs only matrices without the gate, so that of `input`'s parts B, C and the decays suffice.
[[nodiscard]] bool matrixIsEnough(const MixerCall& call, const Linear& input);

} // namespace headscope::lm
