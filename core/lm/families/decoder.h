// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What families with Llama-like keys share, dense ones and hybrids of attention and SSM layers: the keys, q, k, v and
// o, and the way from embedding to head. Worker thread.

#include "core/lm/families/ssmparts.h"
#include "core/lm/mixers/attention.h"

#include <functional>

namespace headscope::lm {

/// Names of the tensors outside the layers, and of the layers.
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
    double scale = 1.0; ///< of attention scores
    bool tied = false;
    NormKind normKind = NormKind::Rms;
    bool normBias = false;    ///< of LayerNorms
    bool interleaved = false; ///< rotated pairs lie next to each other: queries and keys are for interleavedToHalves()
    Activation activation = Activation::Silu;
    Rope rope; ///< undefined: no positions
    DecoderNames names;
};

/// What a family's class sets where its config has no such key, and what it calls the keys that are called differently.
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

/// The keys that all of them have.
[[nodiscard]] DecoderConfig readDecoder(Config& config, const DecoderDefaults& defaults);

/// A norm of the family's kind over the stream.
[[nodiscard]] Norm takeNorm(Weights& weights, const std::string& name, const DecoderConfig& c);

/// q, k, v and o below `prefix`, with c's rope and scale.
[[nodiscard]] AttentionWeights takeAttentionWeights(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                                    bool bias);
[[nodiscard]] MixerSpec attentionSpec(const DecoderConfig& c);
[[nodiscard]] std::shared_ptr<const Mixer> takeAttention(Weights& weights, const std::string& prefix,
                                                         const DecoderConfig& c, bool bias);

/// Biases of q, k and v alone.
void takeQueryKeyValueBias(Weights& weights, const std::string& prefix, AttentionWeights& attention);

/// x: [heads, dims, ...]: of the first `rotated` dimensions, in pairs, first those of each pair and then the others.
[[nodiscard]] at::Tensor pairsApart(const at::Tensor& x, std::int64_t rotated);
/// Queries and keys whose rotated pairs lie next to each other, with the pairs' first halves before their second ones,
/// as Rope wants them: the same for both, so that their products stay. They are packed then.
void interleavedToHalves(Weights& source, AttentionWeights& weights, const DecoderConfig& c);

/// Query, key and value from the rows of one tensor without a bias; the scale and the rotation are the config's.
[[nodiscard]] AttentionWeights takeFusedAttention(Weights& weights, const std::string& name, const DecoderConfig& c);

/// Gate and up as the two halves of one tensor.
[[nodiscard]] Mlp takeFusedMlp(Weights& weights, const std::string& both, const std::string& down,
                               const DecoderConfig& c);

/// Two maps with the config's activation between them.
[[nodiscard]] Mlp takePlainMlp(Weights& weights, const std::string& up, const std::string& down, const DecoderConfig& c,
                               bool bias);

/// What the relatives of GPT-2 share: their names of tensors, LayerNorms with biases, as many keys as queries, whatever
/// other keys of the config say, and an MLP four times as wide where no width is given. Returns what all names begin
/// with.
std::string takeGpt2Names(Config& config, Weights& weights, DecoderConfig& c);

/// For norms without weights behind the rotation: they are as well in front of it where the config's rope no longer
/// multiplies what it turns. Returns their epsilon.
[[nodiscard]] double epsBehindRotation(DecoderConfig& c);

/// Limits the texts of a model whose attention is computed here only as it is in short ones. A warning gives `why`.
void endAt(Weights& weights, ModelSpec& spec, int longest, const std::string& why);

/// Builds one layer below its prefix and says what its mixer is; one without a mixer leaves the spec as it came.
using DecoderLayer = std::function<std::shared_ptr<const Block>(const std::string& prefix, int index, MixerSpec& spec)>;
/// The same where the block is a DecoderBlock, whose mixer says it.
using PlainLayer = std::function<DecoderBlockParts(const std::string& prefix, int index)>;

/// Embedding, layers, final norm and head.
[[nodiscard]] ModelParts buildDecoder(Config& config, Weights& weights, int layerLimit, const DecoderConfig& c,
                                      const DecoderLayer& layer);
[[nodiscard]] ModelParts buildDecoder(Config& config, Weights& weights, int layerLimit, const DecoderConfig& c,
                                      const PlainLayer& layer);

} // namespace headscope::lm
