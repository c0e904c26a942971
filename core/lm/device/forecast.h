// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Memory that a model needs, derived from its spec alone before any of it is spent. Any thread.

#include "core/base/result.h"
#include "core/lm/spec.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>

namespace headscope::lm {

/// Bytes of keys, values, convolution windows and states for one sequence of `length` tokens. Keys, values and windows
/// are kept in `dtype`, SSM states in fp32.
[[nodiscard]] std::int64_t cacheBytes(const ModelSpec& spec, std::int64_t length, at::ScalarType dtype);

/// What a run over one text takes, in bytes.
struct Forecast {
    std::int64_t length = 0; ///< tokens of that text
    std::int64_t weights = 0;
    std::int64_t cache = 0;       ///< see cacheBytes
    std::int64_t activations = 0; ///< about the most at one time, with the logits of a few positions

    [[nodiscard]] std::int64_t total() const { return weights + cache + activations; }
};

[[nodiscard]] Forecast forecast(const ModelSpec& spec, std::int64_t weightBytes, std::int64_t length,
                                at::ScalarType dtype);

/// Roughly what autograd keeps of one position of a layer, in bytes: some thirty vectors of the stream's width, and
/// Mamba-1's states.
[[nodiscard]] std::int64_t graphBytes(const ModelSpec& spec, const LayerSpec& layer);

/// "1.2 GB"; what would be less than 0.1 of them "34.5 MB".
[[nodiscard]] std::string sizeText(std::int64_t bytes);

/// Bytes that can still be had on a device without swapping; nothing where the system does not say.
[[nodiscard]] std::optional<std::int64_t> availableMemory(const at::Device& device);

/// What a model, or what is done with one, may take.
struct Room {
    std::int64_t bytes = 0;
    bool isLimit = false; ///< that somebody set; otherwise it is what is free

    /// "1.2 GB are free on cpu"
    [[nodiscard]] std::string text(const at::Device& device) const;
    /// "use a machine with more memory or a smaller model"
    [[nodiscard]] std::string advice() const;
};

/// The limit where there is one, else what is free; nothing where the system does not say.
[[nodiscard]] std::optional<Room> roomOn(const at::Device& device, std::optional<std::int64_t> limit);

/// Fails with one sentence when `needed` is more than there is room for: how much of which, and what to do instead
/// (fewer layers where that is enough).
[[nodiscard]] Result<void> checkFits(const Forecast& needed, const Room& room, const ModelSpec& spec,
                                     at::ScalarType dtype, const at::Device& device);

} // namespace headscope::lm
