// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What most families read in the same way: rotary settings, the tied head, the head of the stream. Worker thread.

#include "core/lm/family.h"

namespace headscope::lm {

/// Both shapes of the rotary keys (4.x: rope_theta and rope_scaling; v5: rope_parameters) for `dims` rotated
/// dimensions. Types default, linear, dynamic, llama3 and yarn; any other is refused by name.
[[nodiscard]] Rope readRope(Config& config, int dims, int maxPositions, const at::Device& device, double defaultTheta = 10000.0,
                            const char* thetaKey = "rope_theta");

/// head_dim, heads and key/value heads, checked against each other.
struct HeadCounts {
    int heads = 1, kvHeads = 1, headDim = 1;
};
[[nodiscard]] HeadCounts readHeads(Config& config, int hidden, const char* headsKey = "num_attention_heads",
                                   const char* kvKey = "num_key_value_heads", const char* dimKey = "head_dim");

/// The head tensor by the tying rule: tied uses the embedding; untied and missing ties too.
[[nodiscard]] Linear takeHead(ModelParts& parts, Weights& weights, const std::string& name, bool tied);

/// Weight (and bias when wanted) of a linear map [out, in].
[[nodiscard]] Linear takeLinear(Weights& weights, const std::string& name, std::int64_t out, std::int64_t in, bool bias = false);

[[nodiscard]] Norm takeRmsNorm(Weights& weights, const std::string& name, std::int64_t width, double eps, NormKind kind = NormKind::Rms);
[[nodiscard]] Norm takeLayerNorm(Weights& weights, const std::string& name, std::int64_t width, double eps);

[[nodiscard]] Activation readActivation(Config& config, const char* key, const char* fallback);

/// gate, up and down without or with biases.
[[nodiscard]] Mlp takeGatedMlp(Weights& weights, const std::string& prefix, std::int64_t width, std::int64_t inner, Activation activation, bool bias);

/// bos_token_id and eos_token_id, and the layer count after the limit.
void readTokenIds(Config& config, ModelSpec& spec);
[[nodiscard]] int readLayerCount(Config& config, const char* key, int fallback, int layerLimit);

} // namespace headscope::lm
