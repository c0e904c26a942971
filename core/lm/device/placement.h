// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model larger than one GPU: consecutive layers on each of several devices. The first device, which callers take for
// the model's, also holds the embedding and whatever is in no layer. Streams cross in front of a layer and behind it,
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

/// Bytes of the weights of each layer, and of what is in none.
struct WeightSizes {
    std::vector<std::int64_t> layers;
    std::int64_t rest = 0;
};

/// Places every layer. `kept`: bytes that each layer keeps of a text besides its weights. `room`: bytes that each
/// device has for both; nothing where that is not known. The fullest device gets as little as possible; if the
/// processor comes last, it takes what the others have no room for. A device may be left without layers.
[[nodiscard]] std::vector<PlacedLayers> place(const std::vector<at::Device>& devices, const WeightSizes& sizes,
                                              std::int64_t kept, const std::vector<std::optional<std::int64_t>>& room);
/// The same by what is free now, or `limit` on each device, for a text of kForecastLength tokens. `bytes`: of the
/// weights by layer, as Weights::bytesByLayer().
[[nodiscard]] std::vector<PlacedLayers> place(const ModelSpec& spec, const std::vector<at::Device>& devices,
                                              const std::map<int, std::int64_t>& bytes, at::ScalarType dtype,
                                              std::optional<std::int64_t> limit);
/// Fails with one sentence for the first device that has no room for its layers and what passes through them.
[[nodiscard]] Result<void> checkPlaced(const ModelSpec& spec, const std::vector<PlacedLayers>& placement,
                                       at::ScalarType dtype, std::optional<std::int64_t> limit);

/// The model with its layers where `placement` says. `build` makes it on a device with the weights of one part and
/// shapes in place of the others.
[[nodiscard]] Result<ModelParts>
buildPlaced(const std::vector<PlacedLayers>& placement,
            const std::function<Result<ModelParts>(const at::Device& device, const Weights::Part& part)>& build);

} // namespace headscope::lm
