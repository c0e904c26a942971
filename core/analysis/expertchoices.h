// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Experts chosen by a model's routers for each token of a prompt, and their weights (Shazeer et al. 2017, arXiv
// 1701.06538). Any thread.

#include <functional>
#include <string>
#include <vector>

namespace headscope::analysis {

/// The choices of one layer's router.
struct ExpertChoices {
    int layer = 0;
    int experts = 0, chosen = 0; ///< N experts, K chosen per token
    std::vector<int> ids;        ///< [T, chosen], the largest weight first
    std::vector<float> weights;  ///< the same shape: factors of the experts' outputs, before any ablation
    std::vector<float> shared;   ///< [T]: factor of the expert that runs for every token; empty: there is none
};

/// Returns the name used by ablations: "L2X5".
[[nodiscard]] std::string expertName(int layer, int expert);
/// Returns the number of tokens routed to each of `experts`.
[[nodiscard]] std::vector<int> tokensByExpert(const std::vector<int>& ids, int experts);
/// Returns one line per expert of a token: layer, position, token, expert and weight, with these names as the first
/// line. `number` formats the weights.
[[nodiscard]] std::vector<std::vector<std::string>> expertTable(const std::vector<ExpertChoices>& layers,
                                                                const std::vector<std::string>& tokens,
                                                                const std::function<std::string(double)>& number);

} // namespace headscope::analysis
