// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What Gemma 3n and Gemma 4 share: layers with a window and layers that see everything, the last of which read the keys
// and values of an earlier layer, and a second embedding that each layer reads. Worker thread.

#include "core/lm/families/decoder.h"

#include <map>

namespace headscope::lm {

struct SharedKeysConfig {
    DecoderConfig near, far; ///< of layers with a window and of those without
    std::vector<bool> full;  ///< by layer: it has no window
    int window = 512;
    int firstShared = 0; ///< from this layer on, keys and values are those of the last layer of its kind before it
    bool sameKeysValues = false; ///< in layers without a window, values are the keys before their norm
    bool bias = false;

    [[nodiscard]] const DecoderConfig& layer(int index) const
    {
        return full[static_cast<std::size_t>(index)] ? far : near;
    }
    /// Whether a layer's input norm is carried beside the stream, for those that read it, behind this layer.
    [[nodiscard]] bool carries(int index) const { return firstShared < near.layers && index + 1 < near.layers; }
};

/// Reads `num_kv_shared_layers`.
[[nodiscard]] int readFirstShared(Config& config, int layers, int fallback);

struct SharedAttention {
    std::shared_ptr<const Mixer> mixer;
    bool handsOn = false; ///< later layers read what this one's attention reads, which goes on beside the stream
    int readsFrom = -1;   ///< keys and values are made of this one of what is carried; -1: of the own input
};

/// Takes the attention of one layer after the other; each kind remembers what its last layer with keys of its own has.
class SharedKeys
{
public:
    SharedKeys(const SharedKeysConfig& config, Weights& weights) : m_config(config), m_weights(weights) {}
    /// `prefix` ends in "self_attn.".
    [[nodiscard]] SharedAttention take(const std::string& prefix, int index);

private:
    struct Source {
        AttentionWeights weights;
        int place = 0; ///< among what is carried
    };
    [[nodiscard]] bool lastOfItsKind(int index) const;
    void takeKeys(const std::string& prefix, int index, AttentionWeights& w, SharedAttention& attention);
    const SharedKeysConfig& m_config;
    Weights& m_weights;
    std::map<bool, Source> m_sources; ///< by kind
};

/// What a layer reads of its tokens' second embedding, P columns of it.
struct PerLayer {
    Linear gate, output; ///< [P, D], [D, P]
    Norm norm;
    Activation activation = Activation::GeluTanh;
    std::int64_t first = 0, width = 0; ///< columns of the embedding
    /// What is added to the stream [..., D]; embedding [..., D + L*P].
    [[nodiscard]] at::Tensor operator()(const at::Tensor& stream, const at::Tensor& embedding) const;
};
[[nodiscard]] PerLayer takePerLayer(Weights& weights, const std::string& prefix, const DecoderConfig& c, int index,
                                    int width);
/// The table of all layers, with its projection and norm.
[[nodiscard]] PerLayerEmbedding takePerLayerTable(Weights& weights, const DecoderConfig& c, int width, int vocabulary);

} // namespace headscope::lm
