// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads the heads of a stored model, layer by layer. The text comes from a file of unknown origin. Any thread.

#include "core/base/result.h"
#include "sessions/records.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::sessions {

struct StoredMixer {
    std::string kind; ///< "attention", "mamba2", ...
    int heads = 0;    ///< channels if headDim is 1
    int kvHeads = 0;
    int headDim = 0;
};

/// Returns [layer][mixer]. Fails if the session does not contain it, or claims more heads than any model has.
[[nodiscard]] Result<std::vector<std::vector<StoredMixer>>> storedHeads(const ModelRecord& model);

inline constexpr std::int64_t kMostHeadsJson = 4'000'000; ///< bytes

/// Returns by layer whether its mixers pass on part of each token outside the state: D of Mamba and its equivalents.
/// True if `headsJson` of the model does not specify it.
[[nodiscard]] std::vector<bool> layersKeepOwnToken(const std::string& headsJson);

} // namespace headscope::sessions
