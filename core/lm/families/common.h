// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What most families read in the same way: rotary settings, the tied head, the head of the stream. Worker thread.

#include "core/lm/family.h"

namespace headscope::lm {

/// Both shapes of the rotary keys (4.x: rope_theta and rope_scaling; v5: rope_parameters) for `dims` rotated
/// dimensions. Types default, linear, dynamic, llama3, yarn and longrope; any other is refused by name.
[[nodiscard]] Rope readRope(Config& config, int dims, int maxPositions, const at::Device& device,
                            double defaultTheta = 10000.0, const char* thetaKey = "rope_theta");

/// The rotation of the layers of one kind ("sliding_attention", "full_attention") where the config has one for each:
/// by kind in rope_parameters (v5), or at the top with rope_scaling for the layers of full attention alone.
struct KindDefaults {
    const char* thetaKey = "rope_theta";
    double theta = 10000.0;
};
[[nodiscard]] Rope readRopeOfKind(Config& config, const char* kind, int dims, int maxPositions,
                                  const at::Device& device, const KindDefaults& defaults);

/// The same for a share of a head. An odd count is rounded up to pairs while the frequencies keep it, as in the
/// references.
[[nodiscard]] Rope readPartialRope(Config& config, int headDim, double share, int maxPositions,
                                   const at::Device& device, const char* thetaKey = "rope_theta");

/// head_dim, heads and key/value heads, checked against each other.
struct HeadCounts {
    int heads = 1, kvHeads = 1, headDim = 1;
};
/// Class defaults for keys that are missing (null always means heads, and width / heads); 0: the same as null.
struct HeadDefaults {
    int kvHeads = 0, headDim = 0, heads = 0;
};
[[nodiscard]] HeadCounts readHeads(Config& config, int hidden, const HeadDefaults& defaults = {});

/// The share of a head's dimensions that rotate: `key`, or partial_rotary_factor at the top or in rope_parameters.
[[nodiscard]] double readRotaryShare(Config& config, const char* key, double fallback);

/// Whether `layer_types` calls a layer `yes`; `otherwise` where the file has no such list. Any name but these is
/// refused.
[[nodiscard]] bool layerIs(Config& config, int layer, const char* yes, const char* no, bool otherwise);

/// The sliding window of a layer, 0 for none. `layer_types` decides where it is given, else `windowed`.
[[nodiscard]] int readWindow(Config& config, int layer, int fallback, bool windowed);

/// The same where `use_sliding_window` (false by default) switches windows on.
[[nodiscard]] int readSwitchedWindow(Config& config, int layer, int fallback, bool windowed);

/// Where the two tables of a family lie, and whether its config ties them.
struct TiedTables {
    std::string embedding;
    std::string head;
    bool tied = false;
};

/// The embedding; in a tied model whose file holds the one table under the head's name, that.
[[nodiscard]] at::Tensor takeEmbedding(Weights& weights, const TiedTables& tables, std::vector<std::int64_t> shape);

/// The head. Tied: the embedding, unless the file holds a head with other numbers, which is used then and reported, as
/// transformers 5 does. Untied: the head of the file, which is expected to have one.
[[nodiscard]] Linear takeHead(ModelParts& parts, Weights& weights, const TiedTables& tables);

/// The map in the form that the run needs: quantized where it is asked for, else as it is. A map is brought into its
/// final order first. `key`: the name of what several modules share; empty: nothing.
[[nodiscard]] Linear packed(Weights& weights, Linear map, const std::string& key = {});

/// A table [vocabulary, width] in the form that the run wants: tables decide about every token and are read by rows, so
/// they have eight bits also where maps have four.
[[nodiscard]] at::Tensor packedTable(Weights& weights, const at::Tensor& table);
[[nodiscard]] at::Tensor takeTable(Weights& weights, const std::string& name, std::vector<std::int64_t> shape);

/// The same with what is cut or reordered, or is small and decides much, before or instead of packing.
[[nodiscard]] Linear takeDense(Weights& weights, const std::string& name, std::int64_t out, std::int64_t in,
                               bool bias = false);

/// Weight (and bias when wanted) of a linear map [out, in].
[[nodiscard]] Linear takeLinear(Weights& weights, const std::string& name, std::int64_t out, std::int64_t in,
                                bool bias = false);

[[nodiscard]] Norm takeRmsNorm(Weights& weights, const std::string& name, std::int64_t width, double eps,
                               NormKind kind = NormKind::Rms);
[[nodiscard]] Norm takeLayerNorm(Weights& weights, const std::string& name, std::int64_t width, double eps);

[[nodiscard]] Activation readActivation(Config& config, const char* key, const char* fallback);

/// gate, up and down without or with biases.
[[nodiscard]] Mlp takeGatedMlp(Weights& weights, const std::string& prefix, std::int64_t width, std::int64_t inner,
                               Activation activation, bool bias);

/// bos_token_id and eos_token_id, and the layer count after the limit.
void readTokenIds(Config& config, ModelSpec& spec);
[[nodiscard]] int readLayerCount(Config& config, const char* key, std::optional<int> fallback, int layerLimit);

} // namespace headscope::lm
