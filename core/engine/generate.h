// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Continues a text token by token, greedily or sampled, with interventions active. Worker thread.

#include "core/base/progress.h"
#include "core/lm/model.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace headscope::engine {

struct GenerateOptions {
    int newTokens = 32;
    double temperature = 0.0; ///< 0: greedy, first on a tie
    std::uint64_t seed = 0;
    std::vector<int> stopIds; ///< ends a sequence; the id itself is not returned
    const lm::Edits* edits = nullptr;
    /// Called after each token of sequence 0 (streaming); returning false stops.
    std::function<bool(int id)> onToken;
};

/// ids: int64 [B, T] of one length. Returns for each sequence the new ids. Uses keys, values and states, so a token
/// costs one step. Edits that name the last position act at the last position of each step.
[[nodiscard]] std::vector<std::vector<int>> generate(const lm::Model& model, const at::Tensor& ids, const GenerateOptions& options,
                                                     const std::stop_token& stop = {});

} // namespace headscope::engine
