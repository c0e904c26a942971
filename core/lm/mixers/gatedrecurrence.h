// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The real-gated linear recurrent unit of Griffin and RecurrentGemma (De et al. 2024, arXiv 2402.19427): every channel
// is a head of width 1 with one number as its state. Worker thread.

#include "core/lm/mixers/ssm.h"

namespace headscope::lm {

struct GatedRecurrenceWeights {
    Linear input; ///< [W, D], with bias: x
    Linear gate;  ///< [W, D], with bias
    Activation gateActivation = Activation::GeluTanh;
    CausalConv conv;                           ///< over x
    at::Tensor inputWeight, inputBias;         ///< input gate: [n, W/n, W/n] as x w, [n, W/n]
    at::Tensor recurrentWeight, recurrentBias; ///< recurrence gate, in the same shapes
    at::Tensor recurrence;                     ///< [W]: log of the decay = -8 softplus(it) times the recurrence gate
    Linear output;                             ///< [D, W], with bias
};

/// h_t = a_t h_(t-1) + sqrt(1 - a_t^2) i_t x_t, with 1 in place of the root for the first token; z = h gate.
/// M[t, s] = a_(s+1) ... a_t sqrt(1 - a_s^2) i_s; the factors after the decays count as the step size.
class GatedRecurrence : public MixerOf<GatedRecurrenceWeights>
{
public:
    using MixerOf::MixerOf;
    [[nodiscard]] at::Tensor forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const override;
    [[nodiscard]] HeadMaps headMaps(int head) const override;
    [[nodiscard]] unsigned inputParts() const override { return kKey | kValue | kStep | kGate; }
};

} // namespace headscope::lm
