// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Memory that a model needs, computed from its spec before any of it is allocated. Any thread.

#include "core/base/result.h"
#include "core/lm/spec.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>

namespace headscope::lm {

/// Returns the bytes of keys, values, convolution windows and states for one sequence of `length` tokens. Keys, values
/// and windows are stored in `dtype`, SSM states in fp32.
[[nodiscard]] std::int64_t cacheBytes(const ModelSpec& spec, std::int64_t length, at::ScalarType dtype);

/// Memory that a run on one prompt needs, in bytes.
struct Forecast {
    std::int64_t length = 0; ///< tokens of that prompt
    std::int64_t weights = 0;
    std::int64_t cache = 0;       ///< see cacheBytes
    std::int64_t activations = 0; ///< approximate peak, with the logits of a few positions

    [[nodiscard]] std::int64_t total() const { return weights + cache + activations; }
};

[[nodiscard]] Forecast forecast(const ModelSpec& spec, std::int64_t weightBytes, std::int64_t length,
                                at::ScalarType dtype);

/// Estimates the bytes that autograd keeps per position of a layer: about thirty vectors of the stream's width, and
/// Mamba-1's states.
[[nodiscard]] std::int64_t graphBytes(const ModelSpec& spec, const LayerSpec& layer);

/// Returns a size such as "1.2 GB", or "34.5 MB" below 0.1 GB.
[[nodiscard]] std::string sizeText(std::int64_t bytes);

/// Returns the bytes still available on a device without swapping; nothing if the system does not report it.
[[nodiscard]] std::optional<std::int64_t> availableMemory(const at::Device& device);

/// Memory that a model or an operation on it may use.
struct Room {
    std::int64_t bytes = 0;
    bool isLimit = false; ///< true: set by the user; false: the amount that is free

    /// "1.2 GB are free on cpu"
    [[nodiscard]] std::string text(const at::Device& device) const;
    /// "use a machine with more memory or a smaller model"
    [[nodiscard]] std::string advice() const;
};

/// Returns the limit if there is one, otherwise the free memory; nothing if the system does not report it.
[[nodiscard]] std::optional<Room> roomOn(const at::Device& device, std::optional<std::int64_t> limit);

/// Fails with one sentence if `needed` exceeds the room: how much memory is needed and available, and what to do
/// instead (fewer layers if that is enough).
[[nodiscard]] Result<void> checkFits(const Forecast& needed, const Room& room, const ModelSpec& spec,
                                     at::ScalarType dtype, const at::Device& device);

} // namespace headscope::lm
