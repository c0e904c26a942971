// SPDX-License-Identifier: GPL-3.0-or-later
// Trainer::save and Trainer::resume: a safetensors file with weights, both AdamW moments and, as JSON in its metadata,
// the run's state.
#include "core/io/safetensors.h"
#include "core/io/safetensorswriter.h"
#include "core/train/trainer.h"

#include <c10/core/GradMode.h>

#include <nlohmann/json.hpp>

#include <cstring>
#include <span>
#include <sstream>

namespace headscope::train {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kStateKey = "headscope_run";

Json toJson(const RunState& s, const std::string& random)
{
    Json fades = Json::array();
    for (const Fade& fade : s.fades)
        fades.push_back({fade.head.layer, fade.head.head, fade.firstStep, fade.steps});
    return {{"step", s.step},         {"lastStep", s.lastStep},   {"copyingOnly", s.copyingOnly},
            {"copying", s.copying},   {"copyWords", s.copyWords}, {"pairs", s.pairs},
            {"keyWords", s.keyWords}, {"values", s.values},       {"pruningStep", s.pruningStep},
            {"running", s.running},   {"losses", s.losses},       {"tokens", s.tokens},
            {"fades", fades},         {"seconds", s.seconds},     {"coreSeconds", s.coreSeconds},
            {"random", random}};
}

RunState fromJson(const Json& json)
{
    RunState s;
    s.step = json.at("step");
    s.lastStep = json.at("lastStep");
    s.copyingOnly = json.at("copyingOnly");
    s.copying = json.at("copying");
    s.copyWords = json.at("copyWords");
    s.pairs = json.at("pairs");
    s.keyWords = json.at("keyWords");
    s.values = json.at("values");
    s.pruningStep = json.at("pruningStep");
    s.running = json.at("running").get<std::array<double, kTaskCount>>();
    s.losses = json.at("losses").get<std::array<double, kTaskCount>>();
    s.tokens = json.at("tokens").get<std::array<std::int64_t, kTaskCount>>();
    for (const Json& fade : json.at("fades"))
        s.fades.push_back({{fade.at(0), fade.at(1)}, fade.at(2), fade.at(3)});
    s.seconds = json.at("seconds");
    s.coreSeconds = json.at("coreSeconds");
    s.random = json.at("random");
    return s;
}

struct Named {
    std::string name;
    at::Tensor tensor;
};

} // namespace

Result<void> Trainer::save(const std::filesystem::path& checkpoint) const
{
    std::vector<Named> all;
    for (std::size_t i = 0; i < m_network.parameters().size(); ++i) {
        const Parameter& parameter = m_network.parameters()[i];
        all.push_back({parameter.name, parameter.value.detach().cpu().contiguous()});
        all.push_back({"first." + parameter.name, m_firstMoments[i].cpu().contiguous()});
        all.push_back({"second." + parameter.name, m_secondMoments[i].cpu().contiguous()});
    }
    std::vector<io::TensorToWrite> out;
    for (const Named& named : all)
        out.push_back(
            {named.name, io::Dtype::F32, named.tensor.sizes().vec(),
             std::as_bytes(std::span(named.tensor.data_ptr<float>(), static_cast<std::size_t>(named.tensor.numel())))});
    std::ostringstream random;
    tasks::ToyRandom copy = m_random;
    random << copy.engine();
    return io::writeSafetensors(checkpoint, out,
                                {{kStateKey, toJson(m_state, random.str()).dump()}, {"recipe", m_recipe.toJson()}});
}

Result<void> Trainer::resume(const std::filesystem::path& checkpoint)
{
    const auto file = io::SafetensorsFile::open(checkpoint);
    if (!file.has_value())
        return file.error();
    const auto found = (*file)->metadata().find(kStateKey);
    if (found == (*file)->metadata().end())
        return inputError("The file " + checkpoint.string()
                          + " is no checkpoint of a training run: its metadata lacks '" + kStateKey + "'.");
    RunState state;
    try {
        state = fromJson(Json::parse(found->second));
    } catch (const Json::exception& problem) {
        return inputError("The state of the training run in " + checkpoint.string()
                          + " cannot be read: " + problem.what() + ".");
    }
    std::istringstream random(state.random);
    tasks::ToyRandom generator;
    random >> generator.engine();
    if (!random)
        return inputError("The state of the random generator in " + checkpoint.string() + " cannot be read.");

    // Everything is checked before anything is overwritten.
    std::vector<std::pair<at::Tensor, std::span<const std::byte>>> copies;
    for (std::size_t i = 0; i < m_network.parameters().size(); ++i) {
        const Parameter& parameter = m_network.parameters()[i];
        const std::pair<std::string, at::Tensor> wanted[] = {{parameter.name, parameter.value},
                                                             {"first." + parameter.name, m_firstMoments[i]},
                                                             {"second." + parameter.name, m_secondMoments[i]}};
        for (const auto& [name, target] : wanted) {
            const io::TensorInfo* info = (*file)->find(name);
            if (!info || info->dtype != io::Dtype::F32 || info->shape != target.sizes().vec())
                return inputError("The checkpoint " + checkpoint.string()
                                  + " does not fit the recipe's network: tensor '" + name
                                  + "' is missing or has another shape.");
            copies.emplace_back(target.detach(), (*file)->bytes(*info));
        }
    }
    const c10::NoGradGuard noGradients;
    for (const auto& [target, bytes] : copies) {
        at::Tensor loaded = at::empty(target.sizes(), at::kFloat);
        std::memcpy(loaded.data_ptr(), bytes.data(), bytes.size());
        target.copy_(loaded);
    }
    m_state = std::move(state);
    // Lengths that are still open follow this trainer's recipe.
    if (m_state.pruningStep == 0)
        m_state.lastStep = m_recipe.maxSteps;
    else if (m_state.pruningStep == m_state.step)
        m_state.lastStep = m_state.step + m_recipe.pruning.steps;
    m_random = generator;
    return {};
}

} // namespace headscope::train
