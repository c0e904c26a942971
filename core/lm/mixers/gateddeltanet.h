// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The gated delta rule of Qwen3-Next and OLMo-Hybrid (arXiv 2412.06464): a linear recurrence whose state forgets what a
// key is about to overwrite; and Kimi's (arXiv 2510.26692), in which each channel of a key has its own decay. Worker
// thread.

#include "core/lm/mixers/recurrencerows.h"
#include "core/lm/mixers/ssm.h"

namespace headscope::lm {

struct GatedDeltaNetWeights {
    Linear queryKeyValueGate;    ///< [2 G N + 2 H P, in], by key head: q (N), k (N), v (r P), z (r P), r = H / G
    Linear betaAlpha;            ///< [2 H, in], by key head: b (r), a (r); Kimi: b alone
    double betaFactor = 1.0;     ///< 2 where the state transition may have negative eigenvalues (OLMo-Hybrid)
    Linear forgetDown, forgetUp; ///< Kimi: [r, in], [H N, r], in place of a. Weight undefined: not Kimi's
    Linear gateDown, gateUp;     ///< Kimi: [r, in], [H P, r], in place of z
    CausalConv conv;             ///< over all q, all k, all v
    at::Tensor dtBias, aLog;     ///< [H]; Kimi: dtBias [H N]
    Activation gateActivation = Activation::Silu;
    Norm norm;     ///< over P, before the gate
    Linear output; ///< [D, H*P]
};

/// q, k: [B, H, T, N] (k of length 1, q scaled); v: [B, H, T, P]; beta: [B, H, T]; logAlpha: [B, H, T, 1], or [B, H, T,
/// N] for a separate decay per channel. fp32.
struct DeltaTerms {
    at::Tensor q, k, v, beta, logAlpha;
};

/// Returns y [B, H, T, P]. `state` [B, H, N, P] is read (undefined: zero) and replaced. Chunked: inside a chunk the
/// products of (I - beta k k^T) are one triangular solve.
[[nodiscard]] at::Tensor deltaScan(const DeltaTerms& terms, at::Tensor& state, std::int64_t chunk);
/// Returns the rows of M, y = M v, for the chosen heads (empty: all), [B, h, T, T].
[[nodiscard]] RecurrenceRows deltaRows(const DeltaTerms& terms, const std::vector<int>& heads);

class GatedDeltaNet : public MixerOf<GatedDeltaNetWeights>
{
public:
    using MixerOf::MixerOf;
    [[nodiscard]] at::Tensor forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const override;
    [[nodiscard]] HeadMaps headMaps(int head) const override;
};

} // namespace headscope::lm
