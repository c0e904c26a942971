// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is known of heads besides a survey: what their removal costs, what their weights and probes say. Plain values;
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

/// What the removal of a head costs on a benchmark: positive where the score falls.
struct HeadCost {
    std::string task;
    double loss = 0;
    analysis::Interval interval;    ///< 95 %
    double odds = 0;                ///< mean log odds of the right answers that are lost, nats
    int n = 0;                      ///< examples
    std::optional<double> before{}; ///< the share of them that is right with the head; nothing: not known, or no share
};

/// Gather and aggregate scores of a head that reads all tokens alike; nothing: the texts have no such rows.
struct UniformScores {
    std::optional<double> gather, aggregate;
};

/// The loss of next tokens of one group, with a head and without it; survey::TokenGroup.
struct GroupLoss {
    std::string tokens; ///< "all", "continued"
    std::int64_t n = 0;
    double before = 0, change = 0; ///< nats a token
    std::optional<analysis::Interval> interval;
};

/// A token whose loss rises most when a head is removed.
struct LossRise {
    double rise = 0;
    std::string source;
    int position = 0;
    std::string token;
    std::vector<std::string> before; ///< tokens in front of it
};

struct HeadFacts {
    std::string head;
    std::optional<double> copying;                        ///< of the weights; nothing: they are not factors
    std::vector<std::pair<std::string, double>> probes;   ///< scores on repeated random tokens
    std::string label;                                    ///< the probe that reaches the threshold; empty: none
    std::vector<std::pair<std::string, double>> frequent; ///< what it adds to logits of the texts' frequent tokens
    std::vector<HeadCost> costs;
    std::vector<GroupLoss> losses; ///< the first: all tokens
    std::vector<LossRise> rises;
    std::string role{}; ///< "gathers", "aggregates": of a head that retrieval depends on; empty: none, or not known
};

struct FactSheet {
    double threshold = 0.5;        ///< of labels
    std::string texts;             ///< those of losses, rises and frequent tokens: the same words, the same texts
    std::int64_t frequentOver = 0; ///< positions that `frequent` is the mean of
    std::int64_t lossOver = 0;     ///< tokens that losses were measured on, of each head
    int known = 0;                 ///< removals that were not run, since the session knows what they cost
    std::vector<HeadFacts> heads;
    std::vector<std::string> problems; ///< what could not be measured, a sentence each
    bool finished = false;

    [[nodiscard]] const HeadFacts* find(std::string_view head) const
    {
        const auto found = std::ranges::find(heads, head, &HeadFacts::head);
        return found == heads.end() ? nullptr : &*found;
    }
    /// Adds what was known before of the same model in the same state, and of the same texts, and is not measured anew
    /// here. Of a benchmark that has other rows here nothing is added.
    void addEarlier(const FactSheet& earlier);
};

/// The change of the loss over all tokens; nothing: it was not measured.
[[nodiscard]] inline const GroupLoss* lossOf(const HeadFacts& facts)
{
    return facts.losses.empty() ? nullptr : &facts.losses.front();
}

} // namespace headscope::app
