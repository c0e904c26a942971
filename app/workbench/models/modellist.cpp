// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/models/modellist.h"

#include "app/workbench/models/automatictype.h"
#include "core/io/safetensors/checkpoint.h"
#include "core/lm/device/device.h"
#include "core/lm/device/forecast.h"
#include "core/lm/load.h"

namespace headscope::app {

namespace {

/// As `auto` means it where the processor multiplies the stored type as fast as fp32, which is not measured for a list.
std::string typeOf(const std::filesystem::path& folder)
{
    const auto checkpoint = io::Checkpoint::open(folder);
    if (!checkpoint.has_value())
        return "auto"; // other forms of files choose for themselves, and whoever describes the model says what is wrong
    return automaticType(storedType(**checkpoint), static_cast<std::int64_t>((*checkpoint)->bytes() / 2), 1);
}

void describe(ListedModel& model, const lm::LoadedModel& inspected, std::optional<std::int64_t> freeMemory)
{
    const lm::ModelSpec& spec = inspected.model->spec();
    model.family = spec.family;
    model.kind = lm::familyKind(spec.family);
    model.layers = static_cast<int>(spec.layers.size());
    model.parameters = spec.parameters;
    model.dtype = inspected.dtype;
    const auto computed = lm::parseDtype(inspected.dtype, at::kFloat);
    model.memory =
        lm::forecast(spec, inspected.bytes, lm::kForecastLength, computed.has_value() ? *computed : at::kFloat).total();
    model.fits = !freeMemory || model.memory <= *freeMemory;
}

} // namespace

ListedModel listedModel(const io::ModelFolder& folder, std::optional<std::int64_t> freeMemory)
{
    ListedModel model{.folder = folder, .fileBytes = static_cast<std::int64_t>(io::weightFileBytes(folder.path))};
    const auto inspected = lm::inspect(folder.path, {.device = "cpu", .dtype = typeOf(folder.path)});
    if (inspected.has_value())
        describe(model, *inspected, freeMemory);
    else
        model.problem = inspected.error().message;
    return model;
}

ModelList listModels(const io::ModelPlaces& places, const Control& control)
{
    ModelList list{.unfinished = io::unfinishedModels(places), .freeMemory = lm::availableMemory(at::kCPU)};
    for (const auto& found : {io::shippedModels(places), io::ownModels(places), io::cachedModels(places)})
        for (const io::ModelFolder& folder : found) {
            if (control.stopped())
                return list;
            list.models.push_back(listedModel(folder, list.freeMemory));
        }
    return list;
}

} // namespace headscope::app
