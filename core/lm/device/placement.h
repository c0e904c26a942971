// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model larger than one GPU: consecutive layers on each of several devices. The first of them, which callers take for
// the model's, also holds the embedding and what is in no layer; streams cross in front of a layer and behind it, so
// that callers see one device. Worker thread.

#include "core/base/result.h"
#include "core/lm/model.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace headscope::lm {

/// Bytes of the weights of each layer, and of what is in none.
struct WeightSizes {
    std::vector<std::int64_t> layers;
    std::int64_t rest = 0;
};

/// Places every layer. `kept`: bytes that each layer keeps of a text beside its weights. `room`: what each device can
/// take of both, nothing where that is not known. Alike devices are filled alike; where the processor is the last it
/// takes what the others have no room for. Devices that no layer is left for get none.
[[nodiscard]] std::vector<PlacedLayers> place(const std::vector<at::Device>& devices, const WeightSizes& sizes,
                                              std::int64_t kept, const std::vector<std::optional<std::int64_t>>& room);

/// The model with its layers where `placement` says; `build` makes it with the weights of one part, on its device, and
/// shapes instead of the others.
[[nodiscard]] Result<ModelParts> joined(const std::vector<PlacedLayers>& placement,
                                        const std::function<Result<ModelParts>(const PlacedLayers&)>& build);

} // namespace headscope::lm
