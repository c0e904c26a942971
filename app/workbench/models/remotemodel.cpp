// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/models/remotemodel.h"

#include "core/lm/device/device.h"
#include "core/lm/device/forecast.h"
#include "core/lm/load.h"
#include "core/lm/weights/quantization.h"
#include "core/lm/weights/weightbytes.h"

#include <algorithm>

namespace headscope::app {

namespace {

bool bringsTokenizer(const hub::Plan& plan)
{
    return std::ranges::any_of(plan.files, [](const hub::RemoteFile& file) {
        return file.path == "tokenizer.json" || file.path == "vocab.json" || file.path.ends_with(".gguf");
    });
}

} // namespace

Result<RemoteModel> lookAt(const std::string& name, const std::string& weights, const hub::HubSettings& settings,
                           const Control& control)
{
    const auto parsed = hub::RepositoryName::parse(name);
    if (!parsed.has_value())
        return parsed.error();
    auto plan = hub::plan(*parsed, weights, settings, control);
    if (!plan.has_value())
        return plan.error();
    RemoteModel model{.plan = std::move(*plan), .hasTokenizer = true};
    model.hasTokenizer = bringsTokenizer(model.plan);
    const auto text = hub::readRemoteText(model.plan, "config.json", settings, control);
    auto config = text.has_value() ? lm::Config::parse(*text) : Result<lm::Config>(text.error());
    const auto spec = config.has_value() ? lm::describe(*config) : Result<lm::ModelSpec>(config.error());
    if (!spec.has_value()) {
        model.problem = spec.error().message;
        return model;
    }
    if (const auto packing = lm::readPacking(*config); packing.has_value() && *packing)
        model.packing = (*packing)->title;
    model.family = spec->family;
    model.parameters = spec->parameters;
    const auto available = lm::availableMemory(at::kCPU);
    for (const char* dtype : {"fp32", "bf16", "int8", "int4"}) {
        const auto bytes = lm::weightBytes(*config, dtype);
        if (!bytes.has_value())
            continue; // it was described above
        const auto computed = std::string_view(dtype) == "bf16" ? at::kBFloat16 : at::kFloat;
        const std::int64_t need = lm::forecast(*spec, *bytes, lm::kForecastLength, computed).total();
        model.memory.push_back({.dtype = dtype, .bytes = need, .fits = !available || need <= *available});
    }
    return model;
}

} // namespace headscope::app
