// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/models/exportmodel.h"

#include "core/base/writefile.h"
#include "core/io/safetensors/safetensorswriter.h"
#include "core/tasks/toy/toyvocabulary.h"

#include <c10/core/GradMode.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <span>

namespace headscope::train {

namespace {

using Json = nlohmann::ordered_json;
using Tensors = std::map<std::string, at::Tensor>;

constexpr int kMaxPositions = 1024;

bool startsWith(const std::string& text, const std::string& start)
{
    return text.rfind(start, 0) == 0;
}

// The projections of an SSM layer as the reference layer with `bias: true` stores them: its gate and decay biases are
// parts of in_proj.bias, and taps of the convolution run from the oldest token to the present one.
void addSsm(Tensors& out, const Network& network, const std::string& from, const std::string& to)
{
    const auto get = [&](const char* name) { return network.parameter(from + name).detach().cpu(); };
    const at::Tensor conv = get("conv"), gateBias = get("z_bias"), decayBias = get("decay_bias");
    out[to + "in_proj.weight"] = get("in_proj.weight");
    out[to + "in_proj.bias"] = at::cat({at::zeros({conv.size(1)}), gateBias, decayBias});
    out[to + "conv1d.weight"] = conv.flip(0).t().unsqueeze(1).contiguous(); // [C, 1, K]
    out[to + "conv1d.bias"] = get("conv_bias");
    out[to + "D"] = get("D");
    out[to + "out_proj.weight"] = get("out_proj.weight");
    out[to + "out_proj.bias"] = at::zeros({network.shape().hidden});
}

Tensors llamaTensors(const Network& network)
{
    Tensors out;
    for (const Parameter& parameter : network.parameters())
        out[parameter.name] = parameter.value.detach().cpu().contiguous();
    return out;
}

Tensors llambaTensors(const Network& network)
{
    Tensors out;
    for (const Parameter& parameter : network.parameters()) {
        std::string name = parameter.name;
        if (name.find(".mixer.") != std::string::npos)
            continue;
        if (name == "model.embed_tokens.weight")
            name = "backbone.embedding.weight";
        else if (name == "model.norm.weight")
            name = "backbone.final_layernorm.weight";
        else if (startsWith(name, "model."))
            name.replace(0, 5, "backbone");
        if (const std::size_t at = name.find(".self_attn."); at != std::string::npos)
            name.insert(at, ".mixer");
        out[name] = parameter.value.detach().cpu().contiguous();
    }
    for (int layer = 0; layer < network.layerCount(); ++layer)
        if (network.shape().layers[static_cast<std::size_t>(layer)] == 'S') {
            const std::string tail = "layers." + std::to_string(layer) + ".mixer.";
            addSsm(out, network, "model." + tail, "backbone." + tail);
        }
    return out;
}

// Readers of these folders do not scale what they read, so that the two uses of the one table become two tables.
void untie(Tensors& out, const Network& network, bool ssm)
{
    at::Tensor& read = out[ssm ? "backbone.embedding.weight" : "model.embed_tokens.weight"];
    out["lm_head.weight"] = read;
    read = (read * std::sqrt(network.shape().hidden)).contiguous();
}

Json ssmConfig(const NetworkShape& n)
{
    return {{"d_state", n.state}, {"n_v_heads", n.heads},     {"n_qk_heads", n.heads},
            {"expand", 1},        {"d_conv", n.convWidth},    {"conv_bias", true},
            {"chunk_size", 128},  {"activation", "identity"}, {"bias", true}};
}

Json llamaConfig(const NetworkShape& n)
{
    return {{"architectures", {"LlamaForCausalLM"}},
            {"model_type", "llama"},
            {"vocab_size", n.vocabulary},
            {"hidden_size", n.hidden},
            {"intermediate_size", n.mlp},
            {"num_hidden_layers", n.layers.size()},
            {"num_attention_heads", n.heads},
            {"num_key_value_heads", n.heads},
            {"head_dim", n.headDim},
            {"hidden_act", "silu"},
            {"max_position_embeddings", kMaxPositions},
            {"rms_norm_eps", n.normEps},
            {"rope_theta", n.ropeBase},
            {"attention_bias", false},
            {"mlp_bias", false},
            {"tie_word_embeddings", false},
            {"bos_token_id", 0},
            {"eos_token_id", nullptr},
            {"torch_dtype", "float32"}};
}

// A Llama in which some layers see the last tokens alone.
Json windowedConfig(const NetworkShape& n)
{
    Json config = llamaConfig(n), kinds = Json::array(), rotates = Json::array();
    for (const char letter : n.layers) {
        kinds.push_back(letter == 'W' ? "sliding_attention" : "full_attention");
        rotates.push_back(letter == 'W' || n.fullRotates ? 1 : 0);
    }
    config["architectures"] = {"SmolLM3ForCausalLM"};
    config["model_type"] = "smollm3";
    config["no_rope_layers"] = rotates; // 1: it has positions
    config["use_sliding_window"] = true;
    config["sliding_window"] = n.window;
    config["layer_types"] = kinds;
    return config;
}

Json llambaConfig(const NetworkShape& n)
{
    return {{"vocab_size", n.vocabulary},
            {"d_model", n.hidden},
            {"n_layer", n.layers.size()},
            {"tie_embeddings", false},
            {"pad_vocab_size_multiple", 1},
            {"lm_head_bias", false},
            {"resid_dropout", 0.0},
            {"norm_epsilon", n.normEps},
            {"mlp_cfg", {{"intermediate_size", n.mlp}, {"bias", false}, {"act_fn", "silu"}}},
            {"ssm_cfg", ssmConfig(n)}};
}

Json hybridConfig(const NetworkShape& n)
{
    Json blocks = Json::array();
    for (const char letter : n.layers) {
        Json layer;
        if (letter == 'A') {
            layer = {{"name", "LlamaAttention"},
                     {"input",
                      {{"num_attention_heads", n.heads},
                       {"attention_bias", false},
                       {"head_dim", n.headDim},
                       {"rope_theta", n.ropeBase}}}};
        } else {
            Json input = ssmConfig(n);
            input["headdim"] = n.headDim;
            input["norm_cls"] = "none";
            input["initializer"] = {{"z", "default"}, {"a_log", "default"}};
            layer = {{"name", "DiscreteMamba2"}, {"input", input}};
        }
        blocks.push_back(
            {{"name", "LlamaBlock"},
             {"n_layers", 1},
             {"input",
              {{"resid_dropout", 0.0}, {"mlp_intermediate_size", n.mlp}, {"mlp_act_fn", "silu"}, {"Layer", layer}}}});
    }
    return {{"name", "LayeredMambaLM"},
            {"input",
             {{"vocab_size", n.vocabulary},
              {"tie_embeddings", false},
              {"pad_vocab_size_multiple", 1},
              {"lm_head_bias", false}}},
            {"MixerModel",
             {{"name", "LlamaModel"},
              {"input",
               {{"d_model", n.hidden},
                {"n_layer", n.layers.size()},
                {"norm_epsilon", n.normEps},
                {"rope_theta", n.ropeBase},
                {"head_dim", n.headDim},
                {"max_position_embeddings", kMaxPositions},
                {"lm_head_prenorm", "rms"}}},
              {"Blocks", blocks}}}};
}

} // namespace

std::string tokenizerJson()
{
    const auto split = [](const char* what, const char* behavior) {
        return Json{{"type", "Split"}, {"pattern", {{"String", what}}}, {"behavior", behavior}, {"invert", false}};
    };
    Json vocabulary = Json::object();
    int id = 0;
    for (const std::string_view word : tasks::toy::words())
        vocabulary[std::string(word)] = id++;
    const Json bos = {{"id", 0},         {"content", "<s>"},    {"single_word", false}, {"lstrip", false},
                      {"rstrip", false}, {"normalized", false}, {"special", true}};
    const Json json = {
        {"version", "1.0"},
        {"truncation", nullptr},
        {"padding", nullptr},
        {"added_tokens", Json::array({bos})},
        {"normalizer", nullptr},
        {"pre_tokenizer",
         {{"type", "Sequence"}, {"pretokenizers", Json::array({split("\n", "Isolated"), split(" ", "Removed")})}}},
        {"post_processor", nullptr},
        {"decoder", nullptr},
        {"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "<unk>"}}}};
    return json.dump(1) + "\n";
}

void roundToBf16(Network& network)
{
    const c10::NoGradGuard noGradients;
    for (Parameter& parameter : network.parameters())
        parameter.value.copy_(parameter.value.to(at::kBFloat16));
}

Result<void> exportModel(const Network& network, const std::filesystem::path& folder, const std::string& card,
                         const ExportOptions& options)
{
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem)
        return ioError("The folder " + folder.string() + " could not be created: " + problem.message() + ".");
    const std::string& layers = network.shape().layers;
    const bool attention = layers.find('A') != std::string::npos, ssm = layers.find('S') != std::string::npos;

    Tensors tensors = ssm ? llambaTensors(network) : llamaTensors(network);
    if (network.shape().tied)
        untie(tensors, network, ssm);
    std::vector<io::TensorToWrite> out;
    for (auto& [name, tensor] : tensors) {
        if (options.bf16)
            tensor = tensor.to(at::kBFloat16);
        out.push_back({name, options.bf16 ? io::Dtype::BF16 : io::Dtype::F32, tensor.sizes().vec(),
                       std::span(static_cast<const std::byte*>(tensor.data_ptr()), tensor.nbytes())});
    }
    if (Result<void> written = io::writeSafetensors(folder / "model.safetensors", out); !written.has_value())
        return written;

    Json config = layers.find('W') != std::string::npos ? windowedConfig(network.shape())
                  : !ssm                                ? llamaConfig(network.shape())
                  : attention                           ? hybridConfig(network.shape())
                                                        : llambaConfig(network.shape());
    if (!ssm && options.bf16)
        config["torch_dtype"] = "bfloat16";
    const Json tokenizerConfig = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                                  {"bos_token", "<s>"},
                                  {"add_bos_token", false},
                                  {"clean_up_tokenization_spaces", false},
                                  {"model_max_length", kMaxPositions}};
    const std::pair<const char*, std::string> texts[] = {
        {"config.json", config.dump(2) + "\n"},
        {"tokenizer.json", options.tokenizer.empty() ? tokenizerJson() : options.tokenizer},
        {"tokenizer_config.json", tokenizerConfig.dump(2) + "\n"},
        {"README.md", card}};
    for (const auto& [name, text] : texts)
        if (Result<void> written = writeFile(folder / name, text); !written.has_value())
            return written;
    return {};
}

} // namespace headscope::train
