// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which heads a stored model has, layer by layer. The text comes from a file that anybody may have written. Any thread.

#include "core/base/result.h"
#include "sessions/records.h"

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

/// Whether the mixer of a head ("L2H5") keeps a part of each token that no state carries: D of the Mambas and what is
/// like it. True where `headsJson` of the model does not say otherwise.
[[nodiscard]] bool headKeepsOwnToken(const std::string& headsJson, const std::string& head);

} // namespace headscope::sessions
