// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Models on devices that no command line names.

#include "core/io/safetensors/checkpoint.h"
#include "core/lm/device/placement.h"
#include "core/lm/family.h"
#include "core/lm/load.h"
#include "core/lm/weights/quantization.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

namespace headscope::tests {

/// In fp32, about as many layers on each device; null when the folder holds no model.
inline std::shared_ptr<const lm::Model> modelOn(const std::filesystem::path& folder,
                                                const std::vector<at::Device>& devices)
{
    const auto known = lm::inspect(folder, {"cpu", "fp32"});
    auto config = lm::Config::load(folder);
    const auto checkpoint = io::Checkpoint::open(folder);
    if (!known.has_value() || !config.has_value() || !checkpoint.has_value())
        return nullptr;
    const auto packing = lm::readPacking(*config);
    if (!packing.has_value())
        return nullptr;
    const int layers = static_cast<int>(known->model->spec().layers.size()), count = static_cast<int>(devices.size());
    std::vector<lm::PlacedLayers> placement;
    for (int i = 0; i < count; ++i)
        placement.push_back({devices[static_cast<std::size_t>(i)], layers * i / count, layers * (i + 1) / count});
    auto parts = lm::buildPlaced(
        placement, [&](const at::Device& device, const lm::Weights::Part& part) -> Result<lm::ModelParts> {
            lm::Weights weights(*checkpoint, {.device = device, .part = part});
            if (!config->textPartOf().empty())
                weights.readTextPart();
            if (*packing)
                weights.unpack(**packing);
            lm::ModelParts made = lm::findFamily(config->family().value())(*config, weights, 0);
            return weights.error() ? Result<lm::ModelParts>(*weights.error()) : std::move(made);
        });
    if (!parts.has_value() || config->error())
        return nullptr;
    parts->spec = known->model->spec();
    return std::make_shared<const lm::Model>(std::move(*parts));
}

} // namespace headscope::tests
