// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Texts, settings and output file for the fit of a Jacobian lens: plain values without tensors. Any thread.

#include <cstdint>
#include <filesystem>
#include <set>
#include <vector>

namespace headscope::app {

struct LensFitRequest {
    std::vector<std::filesystem::path> texts; ///< folders, .txt and .jsonl files
    std::filesystem::path output;
    int prompts = 100;      ///< upper limit
    int length = 128;       ///< upper limit of tokens per prompt
    std::uint64_t seed = 0; ///< of the order in which texts are taken
    int skip = 16;          ///< positions at the start of a prompt that are left out
    std::set<int> layers;   ///< layers whose output is read, numbered as in files; empty: all, and the embedding
};

/// How often the top token of a lens is the model's own answer, before each layer, compared with the logit lens.
struct LensQuality {
    std::vector<double> fitted, logit; ///< shares of positions; NaN if the lens has no matrix
    int prompts = 0;
    bool heldOut = false; ///< measured on prompts not used by the fit; otherwise the texts have no others
};

} // namespace headscope::app
