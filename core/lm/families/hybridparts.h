// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the hybrids of attention and SSM layers with Llama-like names share: Bamba, Jamba, Granite, Falcon-H1,
// Qwen3-Next. Worker thread.

#include "core/lm/families/ssmparts.h"
#include "core/lm/mixers/attention.h"

#include <functional>

namespace headscope::lm {

struct HybridConfig {
    int hidden = 1, vocabulary = 1, layers = 1, inner = 1, maxPositions = 0;
    HeadCounts heads;
    double eps = 1e-5;
    double scale = 1.0; ///< of attention scores
    bool tied = false;
    NormKind normKind = NormKind::Rms;
    Activation activation = Activation::Silu;
    Rope rope; ///< undefined: no positions
};

/// The keys that all of them have.
[[nodiscard]] HybridConfig readHybrid(Config& config, int vocabulary, const HeadDefaults& heads = {});

/// q, k, v and o below `prefix`, with c's rope and scale.
[[nodiscard]] AttentionWeights takeHybridAttentionWeights(Weights& weights, const std::string& prefix,
                                                          const HybridConfig& c, bool bias);
[[nodiscard]] MixerSpec attentionSpec(const HybridConfig& c);
[[nodiscard]] std::shared_ptr<const Mixer> takeHybridAttention(Weights& weights, const std::string& prefix,
                                                               const HybridConfig& c, bool bias);

/// Builds one layer below its prefix and says what its mixer is.
using HybridLayer = std::function<std::shared_ptr<const Block>(const std::string& prefix, int index, MixerSpec& spec)>;

/// Embedding, layers, final norm and head.
[[nodiscard]] ModelParts buildHybrid(Config& config, Weights& weights, int layerLimit, const HybridConfig& c,
                                     const std::string& finalNorm, const HybridLayer& layer);

} // namespace headscope::lm
