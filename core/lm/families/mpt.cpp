// SPDX-License-Identifier: GPL-3.0-or-later
// MPT (MosaicML 2023): ALiBi, and no biases anywhere.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

namespace {

// What MPT can have besides: nothing that transformers computes, or nothing that is known here.
void refuseMptOptions(Config& config, Config& attention)
{
    const auto refuse = [&](bool is, const char* what) {
        if (is)
            config.fail("This MPT model has " + std::string(what) + ", which is not supported.");
    };
    refuse(!attention.boolean("alibi", true), "learned positions in place of ALiBi ('alibi')");
    refuse(attention.integer("alibi_bias_max", 8) != 8, "other slopes than ALiBi's ('alibi_bias_max')");
    refuse(attention.has("clip_qkv"), "q, k and v that are clipped ('clip_qkv')");
    refuse(attention.boolean("qk_ln", false), "norms of queries and keys ('qk_ln')");
    refuse(attention.boolean("prefix_lm", false), "a prefix that sees ahead ('prefix_lm')");
    refuse(attention.text("attn_type", "multihead_attention") != "multihead_attention",
           "heads that share keys and values ('attn_type')");
    refuse(!config.boolean("no_bias", true), "biases ('no_bias')");
    refuse(config.has("logit_scale"), "a factor of its logits ('logit_scale')");
    config.adopt(attention);
}

} // namespace

ModelParts buildMpt(Config& config, Weights& weights, int layerLimit)
{
    config.alias({{"hidden_size", "d_model"},
                  {"num_hidden_layers", "n_layers"},
                  {"num_attention_heads", "n_heads"},
                  {"max_position_embeddings", "max_seq_len"}});
    DecoderConfig c = readDecoder(config, {.vocabulary = 50368,
                                           .hidden = 2048,
                                           .layers = 24,
                                           .maxPositions = 2048,
                                           .heads = {.heads = 16},
                                           .tied = true,
                                           .epsKey = "layer_norm_epsilon"});
    Config own = config.object("attn_config");
    c.inner = config.positive("expansion_ratio", 4) * c.hidden;
    c.activation = Activation::Gelu;
    c.normKind = NormKind::Layer;
    c.names = {"transformer.wte.weight", "transformer.blocks.", "transformer.norm_f", "lm_head.weight"};
    c.scale = own.number("softmax_scale", c.scale);
    refuseMptOptions(config, own);
    own.ignore({"attn_impl", "attn_uses_sequence_id"});
    const Alibi alibi{alibiSlopes(c.heads.heads).to(weights.target().device)};
    const auto layer = [&](const std::string& prefix, int) {
        AttentionWeights attention = takeFusedAttention(weights, prefix + "attn.Wqkv", c);
        attention.output = takeLinear(weights, prefix + "attn.out_proj", c.hidden, c.hidden);
        attention.alibi = alibi;
        return DecoderBlockParts{
            .inputNorm = takeNorm(weights, prefix + "norm_1", c),
            .mixer = std::make_shared<Attention>(attentionSpec(c), attention),
            .mlpNorm = takeNorm(weights, prefix + "norm_2", c),
            .mlp = takePlainMlp(weights, prefix + "ffn.up_proj", prefix + "ffn.down_proj", c, false),
        };
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm
