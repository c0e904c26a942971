// SPDX-License-Identifier: GPL-3.0-or-later
// OPT (Zhang et al. 2022, arXiv 2205.01068): learned positions, the first two rows of which no token has. OPT-350m has
// its norms behind the sums and tables narrower than the stream.
#include "core/lm/families/decoder.h"
#include "core/lm/families/families.h"
#include "core/lm/weights/packedweight.h"

namespace headscope::lm {

namespace {

/// Mixer and MLP read the stream as it is, and a norm is over what each makes of it.
class NormBehindBlock : public Block
{
public:
    explicit NormBehindBlock(DecoderBlockParts parts) : m_p(std::move(parts)) {}
    [[nodiscard]] at::Tensor forward(const at::Tensor& stream, BlockCall& call) const override
    {
        at::Tensor out = call.rowsOnly ? gatherRows(stream, call.batch.rows) : stream;
        if (!call.skips(Site::Attention)) {
            MixerCall mixerCall = call.mixerCall(Site::Attention, [](const at::Tensor& x) { return x; });
            out = out + m_p.mixer->forward(stream, mixerCall, call.rowsOnly);
        }
        out = m_p.inputNorm(out);
        return (*m_p.mlpNorm)(call.skipsMlp() ? out : out + (*m_p.mlp)(out));
    }
    [[nodiscard]] HeadsAlong headsAlong(const HeadOutputs&, const at::Tensor& direction) const override
    {
        return {{}, at::zeros({direction.size(0)}, direction.options())}; // the norms act on the stream besides
    }
    [[nodiscard]] bool addsToStream() const override { return false; }
    [[nodiscard]] SiteReader reader(Site) const override { return {}; }
    [[nodiscard]] unsigned inputParts(Site site) const override { return writes(site) ? m_p.mixer->inputParts() : 0; }
    [[nodiscard]] bool writes(Site site) const override { return site == Site::Attention; }
    [[nodiscard]] bool mlpWrites() const override { return true; }

private:
    DecoderBlockParts m_p; ///< its inputNorm is the one behind the mixer
};

} // namespace

ModelParts buildOpt(Config& config, Weights& weights, int layerLimit)
{
    DecoderConfig c = readDecoder(config, {.vocabulary = 50272,
                                           .hidden = 768,
                                           .inner = 3072,
                                           .layers = 12,
                                           .maxPositions = 2048,
                                           .heads = {.heads = 12},
                                           .tied = true,
                                           .activation = "relu",
                                           .innerKey = "ffn_dim",
                                           .activationKey = "activation_function"});
    c.eps = 1e-5;
    c.normKind = NormKind::Layer;
    c.normBias = true;
    const std::string base = weights.has("model.decoder.embed_positions.weight") ? "model.decoder." : "decoder.";
    c.names = {base + "embed_tokens.weight", base + "layers.", {}, "lm_head.weight"};
    const bool bias = config.boolean("enable_bias", true);
    const bool before = config.boolean("do_layer_norm_before", true);
    config.ignore({"_remove_final_layer_norm"}); // where norms are behind
    const bool normed = before && !config.boolean("_remove_final_layer_norm", false);
    const int narrow = config.positive("word_embed_proj_dim", c.hidden);
    if (!config.boolean("layer_norm_elementwise_affine", true))
        config.fail("This OPT model has norms without weights, which are not supported.");
    const auto layer = [&](const std::string& prefix, int, MixerSpec& spec) -> std::shared_ptr<const Block> {
        AttentionWeights attention;
        attention.query = takeLinear(weights, prefix + "self_attn.q_proj", c.hidden, c.hidden, bias);
        attention.key = takeLinear(weights, prefix + "self_attn.k_proj", c.hidden, c.hidden, bias);
        attention.value = takeLinear(weights, prefix + "self_attn.v_proj", c.hidden, c.hidden, bias);
        attention.output = takeLinear(weights, prefix + "self_attn.out_proj", c.hidden, c.hidden, bias);
        attention.scale = c.scale;
        spec = attentionSpec(c);
        DecoderBlockParts block{
            .inputNorm = takeNorm(weights, prefix + "self_attn_layer_norm", c),
            .mixer = std::make_shared<Attention>(spec, attention),
            .mlpNorm = takeNorm(weights, prefix + "final_layer_norm", c),
            .mlp = takePlainMlp(weights, prefix + "fc1", prefix + "fc2", c, bias),
        };
        return before ? std::shared_ptr<const Block>(std::make_shared<DecoderBlock>(std::move(block)))
                      : std::make_shared<NormBehindBlock>(std::move(block));
    };
    DecoderConfig outer = c;
    outer.hidden = narrow;
    ModelParts parts = buildDecoder(config, weights, layerLimit, outer, DecoderLayer(layer));
    if (config.error())
        return parts;
    parts.spec.hidden = c.hidden;
    if (normed)
        parts.finalNorm = takeNorm(weights, base + "final_layer_norm", c);
    parts.positionEmbedding =
        weights.take(base + "embed_positions.weight", {c.maxPositions + 2, c.hidden}).narrow(0, 2, c.maxPositions);
    if (narrow != c.hidden) { // the tables with the maps between their width and the stream's
        const at::Tensor in = weights.take(base + "project_in.weight", {c.hidden, narrow}),
                         out = weights.take(base + "project_out.weight", {narrow, c.hidden});
        if (weights.error())
            return parts;
        parts.head.weight = packedTable(weights, at::matmul(denseOf(parts.head.weight), out));
        parts.embedding = packedTable(weights, at::matmul(denseOf(parts.embedding), in.t()));
        parts.spec.tiedHead = false;
    }
    return parts;
}

} // namespace headscope::lm
