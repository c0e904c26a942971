// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-BigCode (SantaCoder and StarCoder, arXiv 2301.03988 and 2305.06161): a GPT-2 whose heads share one key and value.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

ModelParts buildGptBigCode(Config& config, Weights& weights, int layerLimit)
{
    config.alias({{"hidden_size", "n_embd"},
                  {"num_hidden_layers", "n_layer"},
                  {"num_attention_heads", "n_head"},
                  {"max_position_embeddings", "n_positions"},
                  {"intermediate_size", "n_inner"}});
    DecoderConfig c = readDecoder(config, {.vocabulary = 50257,
                                           .hidden = 768,
                                           .inner = 0,
                                           .layers = 12,
                                           .maxPositions = 1024,
                                           .heads = {.heads = 12},
                                           .tied = true,
                                           .activation = "gelu_pytorch_tanh",
                                           .epsKey = "layer_norm_epsilon",
                                           .activationKey = "activation_function"});
    const std::string base = takeGpt2Names(config, weights, c);
    const bool shared = config.boolean("multi_query", true);
    if (shared)
        c.heads.kvHeads = 1;
    if (!config.boolean("scale_attn_weights", true))
        c.scale = 1.0;
    config.ignore({"attention_softmax_in_fp32", "scale_attention_softmax_in_fp32", "inference_runner", "max_batch_size",
                   "max_sequence_length", "pad_key_length", "pre_allocate_kv_cache", "runner_max_sequence_length",
                   "validate_runner_input"}); // of how it is run
    if (config.boolean("add_cross_attention", false))
        config.fail(
            "This GPT-BigCode model reads an encoder's output ('add_cross_attention'), which is not supported.");
    const std::int64_t width = c.hidden, kv = c.heads.headDim;
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention;
        if (shared) {
            const Linear rows = takeDense(weights, prefix + "attn.c_attn", width + 2 * kv, width, true);
            attention.query = packed(weights, rows.outputs(0, width));
            attention.key = packed(weights, rows.outputs(width, kv));
            attention.value = packed(weights, rows.outputs(width + kv, kv));
        } else {
            attention.fused = takeLinear(weights, prefix + "attn.c_attn", 3 * width, width, true);
        }
        attention.output = takeLinear(weights, prefix + "attn.c_proj", width, width, true);
        attention.scale = c.scale;
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "ln_1", c),
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .mlpNorm = takeNorm(weights, prefix + "ln_2", c),
            .mlp = takePlainMlp(weights, prefix + "mlp.c_fc", prefix + "mlp.c_proj", c, true),
        };
    };
    ModelParts parts = buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
    if (!config.error())
        parts.positionEmbedding = weights.take(base + "wpe.weight", {c.maxPositions, c.hidden});
    return parts;
}

} // namespace headscope::lm
