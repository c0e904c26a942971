// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/forecast.h"

#include <algorithm>

namespace headscope::lm {

namespace {

// Channels that pass the convolution: x, and for the Mamba-2 kinds B and C of each group.
std::int64_t convChannels(const MixerSpec& mixer)
{
    const std::int64_t inner = std::int64_t{mixer.heads} * mixer.headDim;
    switch (mixer.kind) {
    case MixerKind::Mamba1: return inner;
    case MixerKind::Mamba2:
    case MixerKind::DiscreteMamba2: return inner + 2 * std::int64_t{mixer.kvHeads} * mixer.state;
    case MixerKind::GatedDeltaNet: return inner + 2 * std::int64_t{mixer.kvHeads} * mixer.state;
    case MixerKind::Attention: break;
    }
    return 0;
}

} // namespace

std::int64_t cacheBytes(const ModelSpec& spec, std::int64_t length, at::ScalarType dtype)
{
    const auto element = static_cast<std::int64_t>(c10::elementSize(dtype));
    std::int64_t bytes = 0;
    for (const LayerSpec& layer : spec.layers)
        for (const MixerSpec& mixer : layer.mixers) {
            if (mixer.kind == MixerKind::Attention)
                bytes += 2 * length * mixer.kvHeads * mixer.headDim * element;
            else
                bytes += std::int64_t{mixer.heads} * mixer.headDim * mixer.state * 4 +
                         convChannels(mixer) * std::max(mixer.convWidth - 1, 0) * element;
        }
    return bytes;
}

} // namespace headscope::lm
