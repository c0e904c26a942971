// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Facts about heads besides a survey: the cost of their removal, and scores of their weights and probes. Plain values;
// any thread.

#include "core/analysis/statistics.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::app {

/// The cost of removing a head on a benchmark: positive if the score falls.
struct HeadCost {
    std::string task;
    double loss = 0;
    analysis::Interval interval;    ///< 95 %
    double odds = 0;                ///< mean log odds of the lost right answers, nats
    int n = 0;                      ///< examples
    std::optional<double> before{}; ///< share of right answers with the head; nothing: unknown, or not a share
};

/// Gather and aggregate scores of a head that attends uniformly; nothing: the texts have no such rows.
struct UniformScores {
    std::optional<double> gather, aggregate;
};

/// The next-token loss of one group with and without a head; see survey::TokenGroup.
struct GroupLoss {
    std::string tokens; ///< "all", "continued"
    std::int64_t n = 0;
    double before = 0, change = 0; ///< nats per token
    std::optional<analysis::Interval> interval;
};

/// A token whose loss is among those that rise most without a head.
struct LossRise {
    double rise = 0;
    std::string source;
    int position = 0;
    std::string token;
    std::vector<std::string> before; ///< preceding tokens
};

struct HeadFacts {
    std::string head;
    std::optional<double> copying;                        ///< from the weights; nothing: not defined for this head
    std::vector<std::pair<std::string, double>> probes;   ///< scores on repeated random tokens
    std::string label;                                    ///< probe with a score above the threshold; empty: none
    std::vector<std::pair<std::string, double>> frequent; ///< contribution to the logits of the texts' frequent tokens
    std::vector<HeadCost> costs;
    std::vector<GroupLoss> losses; ///< first: all tokens
    std::vector<LossRise> rises;
    std::string role{}; ///< "gathers", "aggregates": for a head that retrieval depends on; empty: none, or unknown
};

struct FactSheet {
    double threshold = 0.5;        ///< of labels
    std::string texts;             ///< texts of losses, rises and frequent tokens: equal words mean equal texts
    std::int64_t frequentOver = 0; ///< positions averaged in `frequent`
    std::int64_t lossOver = 0;     ///< tokens used for losses, for each head
    int known = 0;                 ///< removals that were not run, because their cost was in the session
    std::vector<HeadFacts> heads;
    std::vector<std::string> problems; ///< failed measurements, one sentence each
    bool finished = false;

    [[nodiscard]] const HeadFacts* find(std::string_view head) const
    {
        const auto found = std::ranges::find(heads, head, &HeadFacts::head);
        return found == heads.end() ? nullptr : &*found;
    }
    /// Adds earlier results of the same model in the same state, and of the same texts, if they are not measured here.
    /// Adds nothing of a benchmark with other rows.
    void addEarlier(const FactSheet& earlier);
};

/// Returns the change of the loss over all tokens; nothing: not measured.
[[nodiscard]] inline const GroupLoss* lossOf(const HeadFacts& facts)
{
    return facts.losses.empty() ? nullptr : &facts.losses.front();
}

} // namespace headscope::app
