// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Readers that most families share: rotary settings, head counts, the tied head, linear maps. Worker thread.

#include "core/lm/family.h"

namespace headscope::lm {

/// Reads both forms of the rotary keys (4.x: rope_theta and rope_scaling; v5: rope_parameters) for `dims` rotated
/// dimensions. Types default, linear, dynamic, llama3, yarn and longrope; rejects any other by name.
[[nodiscard]] Rope readRope(Config& config, int dims, int maxPositions, const at::Device& device,
                            double defaultTheta = 10000.0, const char* thetaKey = "rope_theta");

/// Defaults for the rotation of layers of one kind ("sliding_attention", "full_attention") when the config has one per
/// kind: in rope_parameters (v5), or at the top level with rope_scaling for full-attention layers alone.
struct KindDefaults {
    const char* thetaKey = "rope_theta";
    double theta = 10000.0;
};
[[nodiscard]] Rope readRopeOfKind(Config& config, const char* kind, int dims, int maxPositions,
                                  const at::Device& device, const KindDefaults& defaults);

/// Reads the rotation of a share of a head. An odd count is rounded up to pairs while the frequencies keep it, as in
/// the reference implementations.
[[nodiscard]] Rope readPartialRope(Config& config, int headDim, double share, int maxPositions,
                                   const at::Device& device, const char* thetaKey = "rope_theta");

/// head_dim, heads and key/value heads, checked for consistency.
struct HeadCounts {
    int heads = 1, kvHeads = 1, headDim = 1;
};
/// Class defaults for missing keys (null always means heads, and width / heads); 0: the same as null.
struct HeadDefaults {
    int kvHeads = 0, headDim = 0, heads = 0;
};
[[nodiscard]] HeadCounts readHeads(Config& config, int hidden, const HeadDefaults& defaults = {});

/// Reads the rotated share of a head's dimensions: `key`, or partial_rotary_factor at the top or in rope_parameters.
[[nodiscard]] double readRotaryShare(Config& config, const char* key, double fallback);

/// Returns whether `layer_types` calls a layer `yes`; `otherwise` if the file has no such list. Rejects any other
/// name.
[[nodiscard]] bool layerIs(Config& config, int layer, const char* yes, const char* no, bool otherwise);

/// Returns the sliding window of a layer, 0 for none. `layer_types` decides if present, otherwise `windowed`.
[[nodiscard]] int readWindow(Config& config, int layer, int fallback, bool windowed);

/// Returns the same for configs in which `use_sliding_window` (false by default) enables windows.
[[nodiscard]] int readSwitchedWindow(Config& config, int layer, int fallback, bool windowed);

/// Names of a family's two tables, and whether its config ties them.
struct TiedTables {
    std::string embedding;
    std::string head;
    bool tied = false;
};

/// Takes the embedding; in a tied model whose file stores the one table under the head's name, takes that.
[[nodiscard]] at::Tensor takeEmbedding(Weights& weights, const TiedTables& tables, std::vector<std::int64_t> shape);

/// Takes the head. Tied: the embedding, unless the file has a head with different numbers, which is then used and
/// reported, as in transformers 5. Untied: the head of the file, which must have one.
[[nodiscard]] Linear takeHead(ModelParts& parts, Weights& weights, const TiedTables& tables);

/// Returns the map in the form that the run needs: quantized if requested, otherwise unchanged. Reorder a map before
/// calling this. `key`: a name that several modules share; empty: none.
[[nodiscard]] Linear packed(Weights& weights, Linear map, const std::string& key = {});

/// Returns a table [vocabulary, width] in the form that the run needs: tables affect every token and are read by rows,
/// so they keep eight bits even if maps have four.
[[nodiscard]] at::Tensor packedTable(Weights& weights, const at::Tensor& table);
[[nodiscard]] at::Tensor takeTable(Weights& weights, const std::string& name, std::vector<std::int64_t> shape);

/// Takes a linear map that stays dense: it is cut or reordered before packing, or too small and sensitive to pack.
[[nodiscard]] Linear takeDense(Weights& weights, const std::string& name, std::int64_t out, std::int64_t in,
                               bool bias = false);

/// Takes the weight (and bias if requested) of a linear map [out, in].
[[nodiscard]] Linear takeLinear(Weights& weights, const std::string& name, std::int64_t out, std::int64_t in,
                                bool bias = false);

[[nodiscard]] Norm takeRmsNorm(Weights& weights, const std::string& name, std::int64_t width, double eps,
                               NormKind kind = NormKind::Rms);
[[nodiscard]] Norm takeLayerNorm(Weights& weights, const std::string& name, std::int64_t width, double eps);

[[nodiscard]] Activation readActivation(Config& config, const char* key, const char* fallback);

/// Takes gate, up and down with or without biases.
[[nodiscard]] Mlp takeGatedMlp(Weights& weights, const std::string& prefix, std::int64_t width, std::int64_t inner,
                               Activation activation, bool bias);

/// Reads bos_token_id and eos_token_id.
void readTokenIds(Config& config, ModelSpec& spec);
[[nodiscard]] int readLayerCount(Config& config, const char* key, std::optional<int> fallback, int layerLimit);

} // namespace headscope::lm
