// SPDX-License-Identifier: GPL-3.0-or-later
// nanochat: norms without weights, one over the embedding and some over the rotated heads of q and k, which turn the
// other way; logits with a cap.
#include "core/lm/families/decoder.h"
#include "core/lm/families/factors.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

namespace {

// Turning back is turning with the halves of each head in the other order.
void swapHalves(Weights& weights, Linear& map, int headDim)
{
    const auto swapped = [headDim](const at::Tensor& x) {
        const at::Tensor halves = x.unflatten(0, {-1, 2, headDim / 2});
        return at::cat({halves.narrow(1, 1, 1), halves.narrow(1, 0, 1)}, 1).flatten(0, 2);
    };
    map.weight = swapped(map.weight);
    if (map.bias.defined())
        map.bias = swapped(map.bias);
    map = packed(weights, map);
}

} // namespace

ModelParts buildNanochat(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 50304,
                                           .hidden = 768,
                                           .inner = 8192,
                                           .layers = 12,
                                           .maxPositions = 2048,
                                           .heads = {.heads = 6},
                                           .eps = 1e-6,
                                           .activation = "relu2"});
    c.rope = readRope(config, c.heads.headDim, c.maxPositions, weights.target().device);
    c.interleaved = true; // packed when they have their order
    c.names.finalNorm.clear();
    const Norm norm{NormKind::Rms, {}, {}, c.eps}, headNorm{NormKind::Rms, {}, {}, epsBehindRotation(c)};
    const bool bias = config.boolean("attention_bias", false);
    const double cap = readCap(config, "final_logit_softcapping", 15.0);
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention = takeAttentionWeights(weights, prefix + "self_attn.", c, bias);
        swapHalves(weights, attention.query, c.heads.headDim);
        swapHalves(weights, attention.key, c.heads.headDim);
        attention.queryNorm = attention.keyNorm = headNorm;
        return DecoderBlockParts{
            .inputNorm = norm,
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .mlpNorm = norm,
            .mlp = takePlainMlp(weights, prefix + "mlp.fc1", prefix + "mlp.fc2", c, false),
        };
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    parts.embeddingNorm = parts.finalNorm = norm;
    parts.logitSoftCap = cap;
    return parts;
}

} // namespace headscope::lm
