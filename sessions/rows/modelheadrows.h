// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which heads a stored model has, layer by layer. The text comes from a file that anybody may have written. Any thread.

#include "core/base/result.h"
#include "sessions/records.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::sessions {

struct StoredMixer {
    std::string kind; ///< "attention", "mamba2", ...
    int heads = 0;    ///< channels where headDim is 1
    int kvHeads = 0;
    int headDim = 0;
};

/// [layer][mixer]. Fails where the session does not say it, or speaks of more heads than any model has.
[[nodiscard]] Result<std::vector<std::vector<StoredMixer>>> storedHeads(const ModelRecord& model);

inline constexpr std::int64_t kMostHeadsJson = 4'000'000; ///< bytes

/// By layer, whether its mixers keep a part of each token that no state carries: D of the Mambas and what is like it.
/// True where `headsJson` of the model does not say otherwise.
[[nodiscard]] std::vector<bool> layersKeepOwnToken(const std::string& headsJson);

} // namespace headscope::sessions
