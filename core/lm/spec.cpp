// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/spec.h"

namespace headscope::lm {

const char* name(MixerKind kind)
{
    switch (kind) {
    case MixerKind::Attention: return "attention";
    case MixerKind::Mamba1: return "mamba1";
    case MixerKind::Mamba2: return "mamba2";
    case MixerKind::DiscreteMamba2: return "discrete_mamba2";
    case MixerKind::GatedDeltaNet: return "gated_delta_net";
    case MixerKind::ShortConvolution: return "short_convolution";
    case MixerKind::GatedRecurrence: return "gated_recurrence";
    case MixerKind::LightningAttention: return "lightning_attention";
    case MixerKind::KimiDelta: return "kimi_delta";
    case MixerKind::Mlstm: return "mlstm";
    case MixerKind::Rwkv7: return "rwkv7";
    }
    return "";
}

} // namespace headscope::lm
