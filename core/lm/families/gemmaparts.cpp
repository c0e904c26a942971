// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/families/gemmaparts.h"

namespace headscope::lm {

int readFirstShared(Config& config, int layers, int fallback)
{
    const int first = layers - config.integer("num_kv_shared_layers", fallback);
    if (first < 1 || first > layers)
        config.fail("'num_kv_shared_layers' in config.json leaves no layer with keys and values of its own.");
    return first;
}

void SharedAttention::redirect(MixerCall& call, const at::Tensor& wide, std::int64_t first, std::int64_t hidden) const
{
    if (readsFrom < 0)
        return;
    call.otherInput = wide.narrow(-1, first + hidden * readsFrom, hidden).contiguous();
    call.otherParts = kKey | kValue;
}

// Whether no layer of its kind follows that has keys of its own.
bool SharedKeys::lastOfItsKind(int index) const
{
    const auto kind = [&](int layer) { return m_config.full[static_cast<std::size_t>(layer)]; };
    for (int later = index + 1; later < m_config.firstShared; ++later)
        if (kind(later) == kind(index))
            return false;
    return m_config.firstShared < m_config.near.layers;
}

void SharedKeys::takeKeys(const std::string& prefix, int index, AttentionWeights& w, SharedAttention& attention)
{
    const bool full = m_config.full[static_cast<std::size_t>(index)];
    const DecoderConfig& c = m_config.layer(index);
    if (index >= m_config.firstShared) {
        const auto source = m_sources.find(full);
        if (source == m_sources.end())
            return m_weights.fail(inputError("Layer " + std::to_string(index)
                                             + " shares keys and values, but no earlier layer of its type has any."));
        w.key = source->second.weights.key;
        w.value = source->second.weights.value;
        w.keyNorm = source->second.weights.keyNorm;
        attention.readsFrom = source->second.place;
        for (const char* left : {"k_proj.weight", "v_proj.weight", "k_norm.weight", "v_norm.weight"})
            m_weights.leave(prefix + left);
        return;
    }
    attention.handsOn = lastOfItsKind(index);
    const std::int64_t kv = std::int64_t{c.heads.kvHeads} * c.heads.headDim;
    m_weights.share(attention.handsOn);
    w.key = takeLinear(m_weights, prefix + "k_proj", kv, c.hidden, m_config.bias);
    w.value =
        m_config.sameKeysValues && full ? w.key : takeLinear(m_weights, prefix + "v_proj", kv, c.hidden, m_config.bias);
    w.keyNorm = takeRmsNorm(m_weights, prefix + "k_norm", c.heads.headDim, c.eps);
    m_weights.share(false);
}

SharedAttention SharedKeys::take(const std::string& prefix, int index)
{
    const bool full = m_config.full[static_cast<std::size_t>(index)];
    const DecoderConfig& c = m_config.layer(index);
    const std::int64_t width = std::int64_t{c.heads.heads} * c.heads.headDim;
    SharedAttention attention;
    AttentionWeights w;
    w.query = takeLinear(m_weights, prefix + "q_proj", width, c.hidden, m_config.bias);
    w.output = takeLinear(m_weights, prefix + "o_proj", c.hidden, width, m_config.bias);
    w.queryNorm = takeRmsNorm(m_weights, prefix + "q_norm", c.heads.headDim, c.eps);
    takeKeys(prefix, index, w, attention);
    w.valueNorm = Norm{NormKind::Rms, {}, {}, c.eps};
    w.rope = c.rope;
    w.scale = c.scale;
    w.window = full ? 0 : m_config.window;
    if (attention.handsOn) {
        const int place = static_cast<int>(m_sources.size());
        m_sources[full] = {w, place};
    }
    attention.mixer = std::make_shared<Attention>(attentionSpec(c), std::move(w));
    return attention;
}

at::Tensor PerLayer::operator()(const at::Tensor& stream, const at::Tensor& embedding) const
{
    const at::Tensor open = activate(activation, gate(stream));
    return norm(output(open * embedding.narrow(-1, first, width)));
}

PerLayer takePerLayer(Weights& weights, const std::string& prefix, const DecoderConfig& c, int index, int width)
{
    return {takeLinear(weights, prefix + "per_layer_input_gate", width, c.hidden),
            takeLinear(weights, prefix + "per_layer_projection", c.hidden, width),
            takeNorm(weights, prefix + "post_per_layer_input_norm", c),
            c.activation,
            c.hidden + std::int64_t{index} * width,
            width};
}

PerLayerEmbedding takePerLayerTable(Weights& weights, const DecoderConfig& c, int width, int vocabulary)
{
    const std::int64_t all = std::int64_t{c.layers} * width;
    return {takeTable(weights, "model.embed_tokens_per_layer.weight", {vocabulary, all}),
            takeLinear(weights, "model.per_layer_model_projection", all, c.hidden),
            takeRmsNorm(weights, "model.per_layer_projection_norm", width, c.eps), width};
}

} // namespace headscope::lm
