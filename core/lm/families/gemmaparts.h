// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shared parts of Gemma 3n and Gemma 4: layers with sliding and with full attention, the last of which use keys and
// values of an earlier layer, and an embedding per layer. Worker thread.

#include "core/lm/families/decoder.h"

#include <map>

namespace headscope::lm {

struct SharedKeysConfig {
    DecoderConfig near, far; ///< of layers with sliding and with full attention
    std::vector<bool> full;  ///< by layer: full attention
    int window = 512;
    int firstShared = 0;         ///< first layer that uses the keys and values of the last earlier layer of its kind
    bool sameKeysValues = false; ///< layers with full attention use their keys, before the norm, as values
    bool bias = false;

    [[nodiscard]] const DecoderConfig& layer(int index) const
    {
        return full[static_cast<std::size_t>(index)] ? far : near;
    }
    /// Returns whether inputs of earlier layers are carried beside the stream after this layer.
    [[nodiscard]] bool carries(int index) const { return firstShared < near.layers && index + 1 < near.layers; }
};

/// Reads `num_kv_shared_layers`.
[[nodiscard]] int readFirstShared(Config& config, int layers, int fallback);

struct SharedAttention {
    std::shared_ptr<const Mixer> mixer;
    bool handsOn = false; ///< later layers make keys and values of this layer's input, carried beside the stream
    int readsFrom = -1;   ///< index of the carried input that keys and values are made of; -1: own input

    /// Lets keys and values read their carried input. `first`: the column of `wide` at which carried inputs begin.
    void redirect(MixerCall& call, const at::Tensor& wide, std::int64_t first, std::int64_t hidden) const;
};

/// Takes the attention of the layers in their order and remembers, for each kind, its last layer with keys of its own.
class SharedKeys
{
public:
    SharedKeys(const SharedKeysConfig& config, Weights& weights) : m_config(config), m_weights(weights) {}
    /// Takes the attention of the next layer. `prefix` ends in "self_attn.".
    [[nodiscard]] SharedAttention take(const std::string& prefix, int index);

private:
    struct Source {
        AttentionWeights weights;
        int place = 0; ///< index among the carried inputs
    };
    [[nodiscard]] bool lastOfItsKind(int index) const;
    void takeKeys(const std::string& prefix, int index, AttentionWeights& w, SharedAttention& attention);
    const SharedKeysConfig& m_config;
    Weights& m_weights;
    std::map<bool, Source> m_sources; ///< by kind: full attention or sliding
};

/// A layer's part of the embedding per layer: P columns.
struct PerLayer {
    Linear gate, output; ///< [P, D], [D, P]
    Norm norm;
    Activation activation = Activation::GeluTanh;
    std::int64_t first = 0, width = 0; ///< its columns of the embedding
    /// Returns the addition to the stream [..., D]. embedding: [..., D + L*P].
    [[nodiscard]] at::Tensor operator()(const at::Tensor& stream, const at::Tensor& embedding) const;
};
[[nodiscard]] PerLayer takePerLayer(Weights& weights, const std::string& prefix, const DecoderConfig& c, int index,
                                    int width);
/// Takes the table of all layers with its projection and norm.
[[nodiscard]] PerLayerEmbedding takePerLayerTable(Weights& weights, const DecoderConfig& c, int width, int vocabulary);

} // namespace headscope::lm
