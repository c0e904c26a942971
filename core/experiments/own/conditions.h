// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The conditions of a study resolved for one model. Worker thread.

#include "core/experiments/experimentheads.h"
#include "core/experiments/own/definition.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::experiments {

/// A condition on one model: one layer of those that are skipped in turn, or the condition as written.
struct State {
    const Condition* condition = nullptr;
    std::string name;
    InterventionSet set;
};

/// Finds the heads to which conditions refer: each ranking is made once, and only when a condition needs it.
class Conditions
{
public:
    Conditions(Lab& lab, Bench& bench, const Definition& study) : m_lab(lab), m_bench(bench), m_study(study) {}

    /// Returns all states in the order of the study. Fails for heads that the model does not have.
    [[nodiscard]] Result<std::vector<State>> states();

private:
    [[nodiscard]] Result<const GatherAggregate*> pair();
    [[nodiscard]] Result<const Ranked*> ranking();
    [[nodiscard]] Result<InterventionSet> base();
    [[nodiscard]] Result<InterventionSet> setOf(const Condition& condition);
    [[nodiscard]] Result<InterventionSet> keeping(const std::vector<HeadChoice>& kept);
    [[nodiscard]] Result<void> addHeads(const HeadChoice& choice, std::vector<HeadRef>& heads);
    [[nodiscard]] Result<std::vector<HeadRef>> randomOthers(int count, const std::vector<HeadRef>& taken);

    Lab& m_lab;
    Bench& m_bench;
    const Definition& m_study;
    std::optional<GatherAggregate> m_pair;
    std::optional<Ranked> m_ranking;
    int m_draws = 0;
};

} // namespace headscope::experiments
