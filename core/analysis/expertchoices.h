// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which experts the routers of a model choose for each token of a text, and what each of them counts (Shazeer et al.
// 2017, arXiv 1701.06538). Any thread.

#include <functional>
#include <string>
#include <vector>

namespace headscope::analysis {

/// What the router of one layer chose.
struct ExpertChoices {
    int layer = 0;
    int experts = 0, chosen = 0; ///< of N, of which K per token
    std::vector<int> ids;        ///< [T, chosen], the heaviest first
    std::vector<float> weights;  ///< the same: what the layer multiplies the expert's output by, before any ablation
    std::vector<float> shared;   ///< [T]: the same of the expert that runs for every token; empty: there is none
};

/// As an ablation names it: "L2X5".
[[nodiscard]] std::string expertName(int layer, int expert);
/// How many tokens go to each of `experts`.
[[nodiscard]] std::vector<int> tokensByExpert(const std::vector<int>& ids, int experts);
/// A line an expert of a token: layer, position, token, expert and weight, which are the first line. `number` writes
/// the weights.
[[nodiscard]] std::vector<std::vector<std::string>> expertTable(const std::vector<ExpertChoices>& layers,
                                                                const std::vector<std::string>& tokens,
                                                                const std::function<std::string(double)>& number);

} // namespace headscope::analysis
