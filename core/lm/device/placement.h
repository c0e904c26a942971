// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model larger than one GPU: consecutive layers on each of several devices. The first device, which callers treat as
// the model's, also holds the embedding and everything outside the layers. Streams are moved before and after a layer,
// so callers see one device. Worker thread.

#include "core/base/result.h"
#include "core/lm/model.h"
#include "core/lm/weights/weights.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace headscope::lm {

/// Bytes of the weights of each layer and of those outside the layers.
struct WeightSizes {
    std::vector<std::int64_t> layers;
    std::int64_t rest = 0;
};

/// Places every layer. `kept`: bytes that each layer stores for a prompt besides its weights. `room`: bytes that each
/// device has for both; nothing if unknown. Minimizes the load of the fullest device; if the CPU comes last, it gets
/// what does not fit elsewhere. A device may get no layers.
[[nodiscard]] std::vector<PlacedLayers> place(const std::vector<at::Device>& devices, const WeightSizes& sizes,
                                              std::int64_t kept, const std::vector<std::optional<std::int64_t>>& room);
/// Places layers by the memory that is free now, or `limit` on each device, for a prompt of kForecastLength tokens.
/// `bytes`: bytes of weights by layer, as from Weights::bytesByLayer().
[[nodiscard]] std::vector<PlacedLayers> place(const ModelSpec& spec, const std::vector<at::Device>& devices,
                                              const std::map<int, std::int64_t>& bytes, at::ScalarType dtype,
                                              std::optional<std::int64_t> limit);
/// Fails with one sentence for the first device that lacks room for its layers and their activations.
[[nodiscard]] Result<void> checkPlaced(const ModelSpec& spec, const std::vector<PlacedLayers>& placement,
                                       at::ScalarType dtype, std::optional<std::int64_t> limit);

/// Builds the model with its layers placed by `placement`. `build` makes it on a device with the weights of one part
/// and only shapes for the others.
[[nodiscard]] Result<ModelParts>
buildPlaced(const std::vector<PlacedLayers>& placement,
            const std::function<Result<ModelParts>(const at::Device& device, const Weights::Part& part)>& build);

} // namespace headscope::lm
