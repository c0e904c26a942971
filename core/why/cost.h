// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What an analysis takes before it is begun: runs of the prompt, and memory beside the model. Any thread.

#include "core/base/result.h"
#include "core/lm/model.h"

namespace headscope::why {

struct Cost {
    std::int64_t runs = 0;  ///< of the prompt, from the first layer that is touched on; at most
    std::int64_t bytes = 0; ///< kept and worked with beside the model
};

/// Bytes of a recorded run of that many tokens: every layer's stream and every head's output.
[[nodiscard]] std::int64_t recordingBytes(const lm::Model& model, std::int64_t length);
/// What one of several runs of a text side by side works with.
[[nodiscard]] std::int64_t cellBytes(const lm::Model& model, std::int64_t length);
/// How many go side by side: at most 256, in 512 MB or half of what the model's runs are allowed, where that is less.
[[nodiscard]] std::int64_t cellsAtOnce(const lm::Model& model, std::int64_t length);
/// Of runs that are kept (1: one prompt, 2: a pair) and of cells that run from them, some side by side.
[[nodiscard]] Cost costOf(const lm::Model& model, std::int64_t length, int recordings, std::int64_t cells,
                          std::int64_t pairs = 1);

/// Fails with one sentence where that is more than the model's runs are allowed, or than is free on its device.
[[nodiscard]] Result<void> checkFits(const lm::Model& model, const Cost& cost);

} // namespace headscope::why
