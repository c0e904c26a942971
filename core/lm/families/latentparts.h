// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Latent attention in the layout of DeepSeek's and Kimi's files. Worker thread.

#include "core/lm/families/decoder.h"

namespace headscope::lm {

struct LatentShape {
    int heads = 1, queryRank = 0, rank = 1, rotated = 2, plain = 1, value = 1;
    bool bias = false, interleaved = true;
};

struct LatentDefaults {
    int queryRank = 1536; ///< 0: none
    bool interleaved = true;
};

/// Reads q_lora_rank, kv_lora_rank, qk_rope_head_dim, qk_nope_head_dim and v_head_dim.
[[nodiscard]] LatentShape readLatent(Config& config, int heads, const LatentDefaults& defaults);
[[nodiscard]] MixerSpec latentSpec(const LatentShape& shape);
/// Takes maps and output below `prefix`, with c's rope and scale.
[[nodiscard]] AttentionWeights takeLatentAttention(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                                   const LatentShape& shape);

} // namespace headscope::lm
