// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/trainingstate.h"

#include "core/io/mapping.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/safetensors/safetensorswriter.h"

#include <c10/core/GradMode.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <random>
#include <span>
#include <sstream>

namespace headscope::train {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kStateKey = "headscope_run";

Json toJson(const TrainingState& s)
{
    Json fades = Json::array();
    for (const Fade& fade : s.fades)
        fades.push_back({fade.head.layer, fade.head.head, fade.firstStep, fade.steps});
    return {{"step", s.step},
            {"lastStep", s.lastStep},
            {"copyingOnly", s.copyingOnly},
            {"copying", s.copying},
            {"copyWords", s.copyWords},
            {"pairs", s.pairs},
            {"keyWords", s.keyWords},
            {"values", s.values},
            {"pruningStep", s.pruningStep},
            {"running", s.running},
            {"losses", s.losses},
            {"tokens", s.tokens},
            {"mcWords", s.mcWords},
            {"fades", fades},
            {"seconds", s.seconds},
            {"coreSeconds", s.coreSeconds},
            {"random", s.random}};
}

// States of earlier versions have fewer kinds of texts.
template <typename T> std::array<T, kTaskCount> perTask(const Json& json)
{
    std::array<T, kTaskCount> out{};
    const auto read = json.get<std::vector<T>>();
    std::copy_n(read.begin(), std::min(read.size(), out.size()), out.begin());
    return out;
}

TrainingState fromJson(const Json& json)
{
    TrainingState s;
    s.step = json.at("step");
    s.lastStep = json.at("lastStep");
    s.copyingOnly = json.at("copyingOnly");
    s.copying = json.at("copying");
    s.copyWords = json.at("copyWords");
    s.pairs = json.at("pairs");
    s.keyWords = json.at("keyWords");
    s.values = json.at("values");
    s.mcWords = json.value("mcWords", 0);
    s.pruningStep = json.at("pruningStep");
    s.running = perTask<double>(json.at("running"));
    s.losses = perTask<double>(json.at("losses"));
    s.tokens = perTask<std::int64_t>(json.at("tokens"));
    for (const Json& fade : json.at("fades"))
        s.fades.push_back({{fade.at(0), fade.at(1)}, fade.at(2), fade.at(3)});
    s.seconds = json.at("seconds");
    s.coreSeconds = json.at("coreSeconds");
    s.random = json.at("random");
    return s;
}

} // namespace

Result<void> writeTrainingState(const std::filesystem::path& path, const TrainingState& state,
                                const TrainingTensors& tensors, const std::string& recipeJson)
{
    TrainingTensors host;
    std::vector<io::TensorToWrite> out;
    for (const auto& [name, tensor] : tensors) {
        const at::Tensor& copy = host.emplace_back(name, tensor.detach().cpu().contiguous()).second;
        out.push_back({name, io::Dtype::F32, copy.sizes().vec(),
                       std::as_bytes(std::span(copy.data_ptr<float>(), static_cast<std::size_t>(copy.numel())))});
    }
    return io::writeSafetensors(path, out, {{kStateKey, toJson(state).dump()}, {"recipe", recipeJson}});
}

Result<TrainingState> readTrainingState(const std::filesystem::path& path, const TrainingTensors& tensors)
{
    const auto file = io::SafetensorsFile::open(path);
    if (!file.has_value())
        return file.error();
    const auto found = (*file)->metadata().find(kStateKey);
    if (found == (*file)->metadata().end())
        return inputError("The file " + path.string() + " is not a training state: its metadata lacks '" + kStateKey
                          + "'.");
    TrainingState state;
    try {
        state = fromJson(Json::parse(found->second));
    } catch (const Json::exception& problem) {
        return inputError("The training state in " + path.string() + " cannot be read: " + problem.what() + ".");
    }
    if (const auto recipe = (*file)->metadata().find("recipe"); recipe != (*file)->metadata().end())
        if (const Json json = Json::parse(recipe->second, nullptr, false);
            json.is_object() && json.contains("seed") && json["seed"].is_number_unsigned())
            state.seed = json["seed"].get<std::uint64_t>();
    std::mt19937_64 engine;
    if (std::istringstream random(state.random); !(random >> engine))
        return inputError("The state of the random generator in " + path.string() + " cannot be read.");

    // Everything is checked before anything is overwritten.
    std::vector<at::Tensor> read;
    for (const auto& [name, target] : tensors) {
        const io::TensorInfo* info = (*file)->find(name);
        if (!info || info->dtype != io::Dtype::F32 || info->shape != target.sizes().vec())
            return inputError("The training state " + path.string() + " does not fit the recipe's network: tensor '"
                              + name + "' is missing or has another shape.");
        const std::span<const std::byte> bytes = (*file)->bytes(*info);
        std::memcpy(read.emplace_back(at::empty(target.sizes(), at::kFloat)).data_ptr(), bytes.data(), bytes.size());
    }
    if (const auto intact = io::intact(**file); !intact.has_value())
        return intact.error();
    const c10::NoGradGuard noGradients;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        tensors[i].second.copy_(read[i]);
    return state;
}

} // namespace headscope::train
