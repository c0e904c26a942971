// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/models/hybridstudent.h"

#include "core/base/writefile.h"
#include "core/io/mapping.h"
#include "core/io/safetensors/checkpoint.h"
#include "core/io/safetensors/safetensorswriter.h"
#include "core/io/textfiles/textfile.h"
#include "core/lm/config.h"
#include "core/lm/weights/weights.h"
#include "core/tasks/toy/toyrandom.h"
#include "core/train/models/layernames.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>

namespace headscope::train {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kLargestTokenizer = 200'000'000; // bytes
constexpr double kLayerEps = 1e-5;                       // fixed in Hybrid-Llamba

at::Tensor headRows(const at::Tensor& weight, int head, int dim)
{
    return weight.narrow(0, std::int64_t{head} * dim, dim);
}

Json ssmInput(const Teacher& teacher, const StudentShape& shape, std::size_t heads)
{
    return {{"d_state", shape.state}, {"n_v_heads", heads},
            {"n_qk_heads", heads},    {"expand", 1},
            {"d_conv", shape.taps},   {"conv_bias", true},
            {"chunk_size", 128},      {"activation", "identity"},
            {"bias", true},           {"headdim", teacher.headDim},
            {"norm_cls", "none"},     {"initializer", {{"z", "default"}, {"a_log", "default"}}}};
}

Json blockOf(const Teacher& teacher, const StudentShape& shape, int layer)
{
    const auto kept = shape.kept[static_cast<std::size_t>(layer)].size();
    const auto heads = static_cast<std::size_t>(teacher.heads);
    const Json attention = {
        {"name", "LlamaAttention"},
        {"input", {{"num_attention_heads", kept}, {"attention_bias", false}, {"head_dim", teacher.headDim}}}};
    const Json ssm = {{"name", "DiscreteMamba2"}, {"input", ssmInput(teacher, shape, heads - kept)}};
    Json input = {{"resid_dropout", 0.0}, {"mlp_intermediate_size", teacher.inner}, {"mlp_act_fn", "silu"}};
    if (kept > 0 && kept < heads) {
        input["ssm_layer"] = ssm;
        input["attn_layer"] = attention;
        return {{"name", "DoubleBlockVanilla"}, {"n_layers", 1}, {"input", input}};
    }
    input["Layer"] = kept == 0 ? ssm : attention;
    return {{"name", "LlamaBlock"}, {"n_layers", 1}, {"input", input}};
}

Json configOf(const Teacher& teacher, const StudentShape& shape)
{
    Json blocks = Json::array();
    for (int layer = 0; layer < teacher.layers; ++layer)
        blocks.push_back(blockOf(teacher, shape, layer));
    Json input = {{"d_model", teacher.hidden},
                  {"n_layer", teacher.layers},
                  {"norm_epsilon", kLayerEps},
                  {"head_dim", teacher.headDim},
                  {"lm_head_prenorm", "rms"}};
    for (const char* key : {"rope_theta", "rope_scaling", "rope_parameters", "max_position_embeddings"})
        if (teacher.config.contains(key))
            input[key] = teacher.config[key];
    return {{"name", "LayeredMambaLM"},
            {"input",
             {{"vocab_size", teacher.tensors.at("model.embed_tokens.weight").size(0)},
              {"tie_embeddings", !teacher.tensors.contains("lm_head.weight")},
              {"pad_vocab_size_multiple", 1},
              {"lm_head_bias", false}}},
            {"MixerModel", {{"name", "LlamaModel"}, {"input", input}, {"Blocks", blocks}}}};
}

/// SSM tensors of all H heads of a layer, in the reference's order x, B, C, z, a.
std::map<std::string, at::Tensor> freshSsm(const Teacher& teacher, const StudentShape& shape, int layer,
                                           tasks::ToyRandom& random)
{
    const std::int64_t heads = teacher.heads, dim = teacher.headDim, states = shape.state, hidden = teacher.hidden;
    const std::int64_t width = heads * dim, match = heads * states, channels = width + 2 * match;
    const auto options = teacher.tensors.at("model.embed_tokens.weight").options();
    at::Tensor input = at::empty({channels + width + heads, hidden});
    float* numbers = input.data_ptr<float>();
    for (std::int64_t i = 0; i < input.numel(); ++i)
        numbers[i] = static_cast<float>(0.1 * random.normal() / std::sqrt(static_cast<double>(hidden)));
    input = input.to(options);
    at::Tensor output = at::zeros({hidden, width}, options), convBias = at::zeros({channels}, options);
    const std::int64_t shared = std::min(states, dim);
    for (int head = 0; head < teacher.heads; ++head) {
        headRows(input, head, teacher.headDim).copy_(teacher.value(layer, head));
        input.narrow(0, width + head * states, shared).copy_(teacher.key(layer, head).narrow(0, 0, shared));
        input.narrow(0, width + match + head * states, shared)
            .copy_(teacher.query(layer, head).narrow(0, 0, shared) / std::sqrt(static_cast<double>(dim)));
        output.narrow(1, head * dim, dim).copy_(teacher.output(layer, head));
    }
    input.narrow(0, channels, width + heads).zero_();
    for (std::int64_t i = width; i < channels; ++i)
        convBias[i] = 0.3 * random.normal() / std::sqrt(static_cast<double>(states));
    at::Tensor conv = at::zeros({channels, 1, shape.taps}, options);
    conv.select(2, shape.taps - 1).fill_(1.0);
    const at::Tensor decay = at::linspace(-6.0, 0.0, heads).to(options);
    return {{"in_proj.weight", input},
            {"in_proj.bias", at::cat({at::zeros({channels}, options), at::full({width}, kGateOpen, options), decay})},
            {"conv1d.weight", conv},
            {"conv1d.bias", convBias},
            {"D", at::zeros({heads}, options)},
            {"out_proj.weight", output},
            {"out_proj.bias", at::zeros({hidden}, options)}};
}

/// The heads `chosen` of SSM tensors of all heads.
std::map<std::string, at::Tensor> sliceSsm(const std::map<std::string, at::Tensor>& all, const Teacher& teacher,
                                           const StudentShape& shape, const std::vector<int>& chosen)
{
    const std::int64_t heads = teacher.heads, dim = teacher.headDim, states = shape.state;
    std::vector<std::int64_t> channels, inner, numbers(chosen.begin(), chosen.end());
    std::int64_t begin = 0;
    std::vector<std::int64_t> input;
    for (const std::int64_t size : {dim, states, states, dim, std::int64_t{1}}) { // x, B, C, z, a
        for (const int head : chosen)
            for (std::int64_t i = 0; i < size; ++i)
                input.push_back(begin + head * size + i);
        if (begin < heads * (dim + 2 * states))
            channels = input;
        if (begin == 0)
            inner = input;
        begin += heads * size;
    }
    const auto pick = [&](const char* name, int axis, const std::vector<std::int64_t>& which) {
        const at::Tensor& tensor = all.at(name);
        return tensor.index_select(axis, at::tensor(which, at::kLong).to(tensor.device())).contiguous();
    };
    return {{"in_proj.weight", pick("in_proj.weight", 0, input)},
            {"in_proj.bias", pick("in_proj.bias", 0, input)},
            {"conv1d.weight", pick("conv1d.weight", 0, channels)},
            {"conv1d.bias", pick("conv1d.bias", 0, channels)},
            {"D", pick("D", 0, numbers)},
            {"out_proj.weight", pick("out_proj.weight", 1, inner)},
            {"out_proj.bias", all.at("out_proj.bias").clone()}};
}

void addAttention(Student& student, const Teacher& teacher, int layer, const std::vector<int>& kept)
{
    std::vector<at::Tensor> query, key, value, output;
    for (const int head : kept) {
        query.push_back(teacher.query(layer, head));
        key.push_back(teacher.key(layer, head));
        value.push_back(teacher.value(layer, head));
        output.push_back(teacher.output(layer, head));
    }
    const bool all = static_cast<int>(kept.size()) == teacher.heads;
    const std::string to =
        "backbone.layers." + std::to_string(layer) + (all ? ".mixer.self_attn." : ".mixer2.self_attn.");
    student.tensors[to + "q_proj.weight"] = at::cat(query, 0).contiguous();
    student.tensors[to + "k_proj.weight"] = at::cat(key, 0).contiguous();
    student.tensors[to + "v_proj.weight"] = at::cat(value, 0).contiguous();
    student.tensors[to + "o_proj.weight"] = at::cat(output, 1).contiguous();
}

Result<std::map<std::string, at::Tensor>> readTensors(const std::filesystem::path& folder, const at::Device& device)
{
    const auto checkpoint = io::Checkpoint::open(folder);
    if (!checkpoint.has_value())
        return checkpoint.error();
    lm::Weights weights(*checkpoint, {at::kFloat, device, false});
    std::map<std::string, at::Tensor> tensors;
    for (const std::string& name : (*checkpoint)->names())
        if (!name.ends_with("inv_freq"))
            tensors[name] = weights.take(name, (*checkpoint)->find(name)->info.shape).clone();
    if (const auto intact = io::intact(**checkpoint); !intact.has_value())
        return intact.error();
    return weights.error() ? Result<std::map<std::string, at::Tensor>>(*weights.error())
                           : Result<std::map<std::string, at::Tensor>>(std::move(tensors));
}

} // namespace

Result<Teacher> Teacher::load(const std::filesystem::path& folder, const at::Device& device, bool windows)
{
    Teacher teacher{.folder = folder};
    const auto config = lm::Config::load(folder);
    if (!config.has_value())
        return config.error();
    teacher.config = config->json();
    const std::string family = teacher.config.value("model_type", "");
    if (family != "llama" && family != "mistral" && !(windows && family == "smollm3"))
        return inputError("The teacher '" + folder.string() + "' is of the family '" + family
                          + "'; heads can be distilled from llama and mistral.");
    const double eps = teacher.config.value("rms_norm_eps", 1e-6);
    if (std::abs(eps - kLayerEps) > 1e-9 || teacher.config.value("attention_bias", false)
        || teacher.config.value("mlp_bias", false))
        return inputError("The teacher '" + folder.string()
                          + "' does not fit Hybrid-Llamba's blocks: expected rms_norm_eps 1e-5 and no biases.");
    teacher.hidden = teacher.config.value("hidden_size", 0);
    teacher.layers = teacher.config.value("num_hidden_layers", 0);
    teacher.heads = teacher.config.value("num_attention_heads", 0);
    teacher.inner = teacher.config.value("intermediate_size", 0);
    if (teacher.hidden < 1 || teacher.layers < 1 || teacher.heads < 1 || teacher.inner < 1)
        return inputError("config.json of '" + folder.string()
                          + "' lacks one of hidden_size, num_hidden_layers, num_attention_heads, intermediate_size.");
    const auto number = [&](const char* key, int otherwise) {
        return teacher.config.contains(key) && teacher.config[key].is_number() ? teacher.config[key].get<int>()
                                                                               : otherwise;
    };
    teacher.kvHeads = number("num_key_value_heads", teacher.heads);
    teacher.headDim = number("head_dim", teacher.hidden / teacher.heads);
    auto tensors = readTensors(folder, device);
    if (!tensors.has_value())
        return tensors.error();
    teacher.tensors = std::move(*tensors);
    return teacher;
}

at::Tensor Teacher::query(int layer, int head) const
{
    return headRows(tensors.at(layerPrefix(layer) + "self_attn.q_proj.weight"), head, headDim);
}
at::Tensor Teacher::key(int layer, int head) const
{
    return headRows(tensors.at(layerPrefix(layer) + "self_attn.k_proj.weight"), head / (heads / kvHeads), headDim);
}
at::Tensor Teacher::value(int layer, int head) const
{
    return headRows(tensors.at(layerPrefix(layer) + "self_attn.v_proj.weight"), head / (heads / kvHeads), headDim);
}
at::Tensor Teacher::output(int layer, int head) const
{
    return tensors.at(layerPrefix(layer) + "self_attn.o_proj.weight").narrow(1, std::int64_t{head} * headDim, headDim);
}

std::vector<int> StudentShape::replaced(int layer, int heads) const
{
    const auto& stay = kept[static_cast<std::size_t>(layer)];
    std::vector<int> others;
    for (int head = 0; head < heads; ++head)
        if (!std::binary_search(stay.begin(), stay.end(), head))
            others.push_back(head);
    return others;
}

std::string Student::ssmPrefix(int layer, std::size_t kept)
{
    return "backbone.layers." + std::to_string(layer) + (kept == 0 ? ".mixer." : ".mixer1.");
}

std::vector<std::string> Student::ssmTensors() const
{
    std::vector<std::string> names;
    for (std::size_t layer = 0; layer < shape.kept.size(); ++layer)
        for (const char* name : {"in_proj.weight", "in_proj.bias", "conv1d.weight", "conv1d.bias", "D",
                                 "out_proj.weight", "out_proj.bias"})
            if (const std::string full = ssmPrefix(static_cast<int>(layer), shape.kept[layer].size()) + name;
                tensors.contains(full))
                names.push_back(full);
    return names;
}

Result<Student> makeStudent(const Teacher& teacher, const StudentShape& shape, std::uint64_t seed, const Student* start)
{
    if (shape.kept.size() != static_cast<std::size_t>(teacher.layers))
        return inputError("The kept heads name " + std::to_string(shape.kept.size()) + " layers; the teacher has "
                          + std::to_string(teacher.layers) + ".");
    tasks::ToyRandom random(seed);
    Student student{.shape = shape, .config = configOf(teacher, shape)};
    for (const auto& [name, tensor] : teacher.tensors) {
        if (name.find(".self_attn.") != std::string::npos)
            continue;
        std::string to = name == "model.embed_tokens.weight" ? "backbone.embedding.weight"
                         : name == "model.norm.weight"       ? "backbone.final_layernorm.weight"
                                                             : name;
        if (to.starts_with("model."))
            to.replace(0, 5, "backbone");
        student.tensors[to] = tensor.clone();
    }
    for (int layer = 0; layer < teacher.layers; ++layer) {
        const auto& kept = shape.kept[static_cast<std::size_t>(layer)];
        const auto replaced = shape.replaced(layer, teacher.heads);
        if (!kept.empty())
            addAttention(student, teacher, layer, kept);
        if (replaced.empty())
            continue;
        std::map<std::string, at::Tensor> all = freshSsm(teacher, shape, layer, random);
        if (start)
            for (auto& [name, tensor] : all) {
                const at::Tensor& from = start->tensors.at(Student::ssmPrefix(layer, 0) + name);
                if (from.sizes() != tensor.sizes())
                    return inputError(
                        "The student to start from has '" + name
                        + "' of another shape; expected an all-SSM student of the same teacher and state size.");
                tensor = from;
            }
        for (auto& [name, tensor] : sliceSsm(all, teacher, shape, replaced))
            student.tensors[Student::ssmPrefix(layer, kept.size()) + name] = tensor;
    }
    return student;
}

Result<Student> loadStudent(const std::filesystem::path& folder, const Teacher& teacher, const StudentShape& shape)
{
    auto tensors = readTensors(folder, teacher.tensors.begin()->second.device());
    if (!tensors.has_value())
        return tensors.error();
    for (int layer = 0; layer < teacher.layers; ++layer)
        if (!tensors->contains(Student::ssmPrefix(layer, 0) + "in_proj.weight"))
            return inputError("'" + folder.string()
                              + "' is not an all-SSM student; expected one that was distilled with no head kept.");
    return Student{.shape = shape, .config = {}, .tensors = std::move(*tensors)};
}

Result<void> writeStudent(const Student& student, const Teacher& teacher, const std::filesystem::path& folder,
                          const std::string& card)
{
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem)
        return ioError("The folder '" + folder.string() + "' could not be created: " + problem.message() + ".");
    std::vector<io::TensorToWrite> out;
    std::vector<at::Tensor> held;
    for (const auto& [name, tensor] : student.tensors) {
        held.push_back(tensor.detach().to(at::kCPU).to(at::kFloat).contiguous());
        out.push_back(
            {name, io::Dtype::F32, tensor.sizes().vec(),
             std::as_bytes(std::span(held.back().data_ptr<float>(), static_cast<std::size_t>(tensor.numel())))});
    }
    if (const auto written = io::writeSafetensors(folder / "model.safetensors", out); !written.has_value())
        return written;
    for (const char* name :
         {"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.json", "merges.txt"})
        if (std::filesystem::exists(teacher.folder / name, problem)) {
            const auto text = io::readTextFile(teacher.folder / name, kLargestTokenizer);
            const auto copied = text.has_value() ? writeFile(folder / name, *text) : Result<void>(text.error());
            if (!copied.has_value())
                return copied;
        }
    for (const auto& [name, text] :
         {std::pair<const char*, std::string>{"config.json", student.config.dump(2) + "\n"}, {"README.md", card}})
        if (const auto written = writeFile(folder / name, text); !written.has_value())
            return written;
    return {};
}

} // namespace headscope::train
