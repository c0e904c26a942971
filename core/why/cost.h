// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The cost of an analysis before it starts: runs of the prompt, and memory beside the model. Any thread.

#include "core/base/result.h"
#include "core/lm/model.h"

namespace headscope::why {

struct Cost {
    std::int64_t runs = 0;  ///< maximum runs of the prompt, from the first affected layer on
    std::int64_t bytes = 0; ///< stored and working memory beside the model
};

/// Returns the bytes of a recorded run of that many tokens: every layer's stream and every head's output.
[[nodiscard]] std::int64_t recordingBytes(const lm::Model& model, std::int64_t length);
/// Returns the working memory of one of several parallel runs of a prompt.
[[nodiscard]] std::int64_t cellBytes(const lm::Model& model, std::int64_t length);
/// Returns how many run in parallel: at most 256, within 512 MB or half of the memory allowed for runs if that is less.
[[nodiscard]] std::int64_t cellsAtOnce(const lm::Model& model, std::int64_t length);
/// Returns the cost of stored runs (1: one prompt, 2: a pair) and of cells that run from them, some in parallel.
[[nodiscard]] Cost costOf(const lm::Model& model, std::int64_t length, int recordings, std::int64_t cells,
                          std::int64_t pairs = 1);

/// Fails with one sentence if the cost exceeds the memory allowed for the model's runs or free on its device.
[[nodiscard]] Result<void> checkFits(const lm::Model& model, const Cost& cost);

} // namespace headscope::why
