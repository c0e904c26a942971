// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Code that families with Llama-like keys share, dense ones and hybrids of attention and SSM layers: the keys, q, k, v
// and o, and the path from embedding to head. Worker thread.

#include "core/lm/families/ssmparts.h"
#include "core/lm/mixers/attention.h"

#include <functional>

namespace headscope::lm {

/// Names of the tensors outside the layers, and the prefix of the layers.
struct DecoderNames {
    std::string embedding = "model.embed_tokens.weight";
    std::string layers = "model.layers.";
    std::string finalNorm = "model.norm";
    std::string head = "lm_head.weight";
};

struct DecoderConfig {
    int hidden = 1, vocabulary = 1, layers = 1, inner = 1, maxPositions = 0;
    HeadCounts heads;
    double eps = 1e-5;
    double scale = 1.0; ///< factor of attention scores
    bool tied = false;
    NormKind normKind = NormKind::Rms;
    bool normBias = false;    ///< whether LayerNorms have biases
    bool interleaved = false; ///< rotated pairs are adjacent: queries and keys need interleavedToHalves()
    Activation activation = Activation::Silu;
    Rope rope; ///< undefined: no positions
    DecoderNames names;
};

/// A family's class defaults for missing keys, and its names for keys that differ.
struct DecoderDefaults {
    int vocabulary = 32000, hidden = 4096, inner = 14336, layers = 32, maxPositions = 262144;
    HeadDefaults heads;
    double eps = 1e-5;
    bool tied = false;
    const char* activation = "silu";
    const char* epsKey = "rms_norm_eps";
    const char* innerKey = "intermediate_size";
    const char* activationKey = "hidden_act";
};

/// Reads the keys that all of them have.
[[nodiscard]] DecoderConfig readDecoder(Config& config, const DecoderDefaults& defaults);

/// Takes a norm of the family's kind over the stream.
[[nodiscard]] Norm takeNorm(Weights& weights, const std::string& name, const DecoderConfig& c);

/// Takes q, k, v and o below `prefix`, with c's rope and scale.
[[nodiscard]] AttentionWeights takeAttentionWeights(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                                    bool bias);
[[nodiscard]] MixerSpec attentionSpec(const DecoderConfig& c);
[[nodiscard]] std::shared_ptr<const Mixer> takeAttention(Weights& weights, const std::string& prefix,
                                                         const DecoderConfig& c, bool bias);

/// Takes the biases of q, k and v alone.
void takeQueryKeyValueBias(Weights& weights, const std::string& prefix, AttentionWeights& attention);

/// Reorders the first `rotated` dimensions of x [heads, dims, ...]: the first of each pair, then the second of each.
[[nodiscard]] at::Tensor pairsApart(const at::Tensor& x, std::int64_t rotated);
/// Reorders queries and keys whose rotated pairs are adjacent so that the pairs' first halves precede the second, as
/// Rope expects: the same for both, so that their products are unchanged. Packs them afterwards.
void interleavedToHalves(Weights& source, AttentionWeights& weights, const DecoderConfig& c);

/// Takes query, key and value from the rows of one tensor without a bias; scale and rotation come from the config.
[[nodiscard]] AttentionWeights takeFusedAttention(Weights& weights, const std::string& name, const DecoderConfig& c);

/// Takes gate and up as the two halves of one tensor.
[[nodiscard]] Mlp takeFusedMlp(Weights& weights, const std::string& both, const std::string& down,
                               const DecoderConfig& c);

/// Takes two maps with the config's activation between them.
[[nodiscard]] Mlp takePlainMlp(Weights& weights, const std::string& up, const std::string& down, const DecoderConfig& c,
                               bool bias);

/// Takes Llama's two norms and wraps the attention. The caller adds the MLP or experts.
[[nodiscard]] DecoderBlockParts takePreNormBlock(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                                 const AttentionWeights& attention);
/// Takes Gemma 2's four norms and gated MLP around the attention.
[[nodiscard]] DecoderBlockParts takeGemmaBlock(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                               const AttentionWeights& attention);

/// Reads the keys and tensor names that relatives of GPT-2 share: LayerNorms with biases, as many keys as queries
/// whatever other keys of the config say, and an MLP four times as wide if no width is given. Returns the prefix of all
/// names.
std::string takeGpt2Names(Config& config, Weights& weights, DecoderConfig& c);

/// Prepares norms without weights that follow the rotation to be applied before it, which is equivalent once the
/// config's rope does not scale its output: removes that scale and returns the norms' epsilon.
[[nodiscard]] double epsBehindRotation(DecoderConfig& c);

/// Limits prompt length for a model whose attention is exact here only for short prompts. `why` ends the warning.
void endAt(Weights& weights, ModelSpec& spec, int longest, const std::string& why);

/// Builds one layer below its prefix and describes its mixer; a layer without a mixer leaves `spec` unchanged.
using DecoderLayer = std::function<std::shared_ptr<const Block>(const std::string& prefix, int index, MixerSpec& spec)>;
/// Builds the same if the block is a DecoderBlock, whose mixer describes itself.
using PlainLayer = std::function<DecoderBlockParts(const std::string& prefix, int index)>;

/// Builds embedding, layers, final norm and head.
[[nodiscard]] ModelParts buildDecoder(Config& config, Weights& weights, int layerLimit, const DecoderConfig& c,
                                      const DecoderLayer& layer);
[[nodiscard]] ModelParts buildDecoder(Config& config, Weights& weights, int layerLimit, const DecoderConfig& c,
                                      const PlainLayer& layer);

} // namespace headscope::lm
