// SPDX-License-Identifier: GPL-3.0-or-later
// Nemotron-H (NVIDIA 2025, arXiv 2504.03624) and Nemotron 3: each layer is one of Mamba-2, attention without positions,
// an MLP or experts, behind one norm.
#include "core/lm/families/expertparts.h"
#include "core/lm/families/families.h"

namespace headscope::lm {

namespace {

enum class Kind { Mamba, Attention, Mlp, Experts };

std::optional<Kind> kindOf(const std::string& name)
{
    if (name == "M" || name == "mamba" || name == "linear_attention")
        return Kind::Mamba;
    if (name == "*" || name == "attention" || name == "full_attention")
        return Kind::Attention;
    if (name == "-" || name == "mlp")
        return Kind::Mlp;
    return name == "E" || name == "moe" ? std::optional(Kind::Experts) : std::nullopt;
}

// What each layer is, by a letter each or a name each.
std::vector<Kind> readKinds(Config& config)
{
    const char* key = config.has("layers_block_type") ? "layers_block_type" : "layer_types";
    std::vector<std::string> names = config.texts(key);
    if (names.empty()) {
        key = "hybrid_override_pattern";
        for (const char letter : config.text(key))
            names.emplace_back(1, letter);
    }
    std::vector<Kind> kinds;
    for (const std::string& name : names) {
        const std::optional<Kind> kind = kindOf(name);
        if (!kind)
            config.fail("'" + std::string(key) + "' in config.json contains '" + name
                        + "'; expected mamba (M), attention (*), mlp (-) or moe (E).");
        kinds.push_back(kind.value_or(Kind::Mlp));
    }
    return kinds;
}

Mamba2Shape readShape(Config& config, const DecoderConfig& c)
{
    Mamba2Shape s;
    s.hidden = c.hidden;
    s.heads = config.positive("mamba_num_heads", 128);
    s.headDim = config.positive("mamba_head_dim", 64);
    s.groups = s.normGroups = config.positive("n_groups", config.positive("mamba_n_groups", 8));
    s.states = config.positive("ssm_state_size", 128);
    s.taps = config.positive("conv_kernel", config.positive("mamba_d_conv", 4));
    s.chunk = config.positive("chunk_size", config.positive("mamba_chunk_size", 128));
    s.bias = config.boolean("use_bias", false);
    s.convBias = config.boolean("use_conv_bias", config.boolean("mamba_conv_bias", true));
    s.normEps = c.eps;
    s.activation = readActivation(config, "mamba_hidden_act", "silu");
    s.dtLow = config.number("time_step_min", config.number("mamba_dt_min", 0.001));
    checkGroups(config, s.heads, s.groups);
    return s;
}

struct ExpertKeys {
    ExpertShape shape;
    Routing routing;
    int shared = 1, latent = 0; ///< latent 0: the experts read the stream's width
    bool bias = false;
};

ExpertKeys readExpertKeys(Config& config)
{
    ExpertKeys e;
    e.shape = readExperts(config, "n_routed_experts", 8, 2, "moe_intermediate_size", 7688);
    e.routing = readGroups(config, e.shape, {});
    e.routing.normalised = config.boolean("norm_topk_prob", true);
    e.routing.factor = config.number("routed_scaling_factor", 1.0);
    e.shared = config.positive("moe_shared_expert_intermediate_size", 7688);
    e.latent = config.has("moe_latent_size") ? config.positive("moe_latent_size") : 0;
    e.bias = config.boolean("mlp_bias", false);
    return e;
}

// Up and down without a gate.
Mlp takeNemotronMlp(Weights& weights, const std::string& prefix, const DecoderConfig& c, int inner, int width,
                    bool bias)
{
    return {{},
            takeLinear(weights, prefix + "up_proj", inner, width, bias),
            takeLinear(weights, prefix + "down_proj", width, inner, bias),
            c.activation};
}

std::shared_ptr<const Experts> takeNemotronExperts(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                                   const ExpertKeys& e)
{
    ExpertParts parts{.router = takeDense(weights, prefix + "gate", e.shape.count, c.hidden), .routing = e.routing};
    parts.routing.correction = weights.take(prefix + "gate.e_score_correction_bias", {e.shape.count});
    const int width = e.latent > 0 ? e.latent : c.hidden;
    for (int expert = 0; expert < e.shape.count; ++expert)
        parts.experts.push_back(takeNemotronMlp(weights, prefix + "experts." + std::to_string(expert) + ".", c,
                                                e.shape.inner, width, false));
    parts.shared = takeNemotronMlp(weights, prefix + "shared_experts.", c, e.shared, c.hidden, e.bias);
    if (e.latent > 0) {
        parts.before = takeLinear(weights, prefix + "fc1_latent_proj", e.latent, c.hidden, e.bias);
        parts.after = takeLinear(weights, prefix + "fc2_latent_proj", c.hidden, e.latent, e.bias);
    }
    return std::make_shared<Experts>(std::move(parts));
}

} // namespace

ModelParts buildNemotronH(Config& config, Weights& weights, int layerLimit)
{
    const std::vector<Kind> kinds = readKinds(config);
    DecoderConfig c = readDecoder(
        config, {.vocabulary = 131072,
                 .inner = 21504,
                 .maxPositions = 4096,
                 .heads = {.kvHeads = 8, .headDim = config.positive("attention_head_dim", 128), .heads = 32},
                 .activation = "relu2",
                 .epsKey = "layer_norm_epsilon",
                 .activationKey = "mlp_hidden_act"});
    c.layers = static_cast<int>(kinds.size());
    const bool oldNames = weights.has("backbone.embeddings.weight") || !weights.has("model.embeddings.weight");
    const std::string root = oldNames ? "backbone." : "model.";
    c.names = {.embedding = root + "embeddings.weight", .layers = root + "layers.", .finalNorm = root + "norm_f"};
    const Mamba2Shape mamba = readShape(config, c);
    if (mamba.dtLow > 0)
        weights.warn("Time steps are at least 'time_step_min', as in transformers; NVIDIA's own code only uses "
                     "'time_step_limit'.");
    const ExpertKeys experts = readExpertKeys(config);
    const bool bias = config.boolean("attention_bias", false);
    config.ignore({"expand", "mamba_proj_bias", "n_shared_experts", "num_hidden_layers", "residual_in_fp32",
                   "rope_parameters", "rope_scaling", "rope_theta", "time_step_limit"});
    weights.ignore([](const std::string& name) { return name.starts_with("mtp."); });
    const auto layer = [&](const std::string& prefix, int index) {
        DecoderBlockParts block{.inputNorm = takeNorm(weights, prefix + "norm", c)};
        const std::string own = prefix + "mixer.";
        switch (kinds[static_cast<std::size_t>(index)]) {
        case Kind::Mamba:
            block.mixer = std::make_shared<Mamba2>(mixerSpec(mamba), takeMamba2(weights, own, mamba));
            break;
        case Kind::Attention: block.mixer = takeAttention(weights, own, c, bias); break;
        case Kind::Mlp: block.mlp = takeNemotronMlp(weights, own, c, c.inner, c.hidden, experts.bias); break;
        case Kind::Experts: block.experts = takeNemotronExperts(weights, own, c, experts); break;
        }
        return block;
    };
    return buildDecoder(config, weights, layerLimit, c, PlainLayer(layer));
}

} // namespace headscope::lm
