// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a Jacobian lens is fitted to, and where it is written: plain values without tensors. Any thread.

#include <filesystem>
#include <set>
#include <vector>

namespace headscope::app {

struct LensFitRequest {
    std::vector<std::filesystem::path> texts; ///< folders, .txt and .jsonl files
    std::filesystem::path output;
    int prompts = 100;    ///< at most
    int length = 128;     ///< tokens of a prompt, at most
    int skip = 16;        ///< positions at its start that do not count
    std::set<int> layers; ///< whose output is read, as files count; empty: all, and the embedding
};

/// How often a lens has the model's own answer on top, before each layer, and how often the logit lens has.
struct LensQuality {
    std::vector<double> fitted, logit; ///< shares of positions; NaN where the lens has no matrix
    int prompts = 0;
    bool heldOut = false; ///< prompts that the fit did not use; else the texts have no others
};

} // namespace headscope::app
