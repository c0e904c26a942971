// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Conclusions from the rows of one model, by thresholds that all experiments share. Tests are paired and corrected
// (Holm) for all contrasts of the model's rows. Pure functions; any thread.

#include "core/experiments/evidence/verdict.h"
#include "core/experiments/words/table.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::experiments {

inline constexpr double kLevel = 0.05; ///< significance level of corrected p-values
inline constexpr double kMargin = 0.1; ///< a score that changes by less counts as kept
inline constexpr int kLeastRows = 30;  ///< minimum number of rows for a verdict

class Evidence
{
public:
    explicit Evidence(Table table);

    [[nodiscard]] const Table& table() const { return m_table; }
    [[nodiscard]] const Row& first() const { return m_table.rows.front(); }

    /// Returns whether there are enough rows, none of them invented samples.
    [[nodiscard]] bool carries(const Row& row, std::string_view key) const;
    /// Returns whether the interval is above the floor.
    [[nodiscard]] bool answers(const Row& row, std::string_view key) const;
    /// Returns whether the score is lower than in the state it is compared with (corrected p below kLevel).
    [[nodiscard]] bool falls(const Row& row, std::string_view key) const;
    /// Returns whether it is higher; a score that stays at or below guessing does not count as a rise.
    [[nodiscard]] bool rises(const Row& row, std::string_view key) const;
    /// Returns whether it falls and loses at least half of the part of `before` above the floor.
    [[nodiscard]] bool collapses(const Row& before, const Row& row, std::string_view key) const;
    /// Returns whether the whole interval of the change is above -kMargin.
    [[nodiscard]] bool keeps(const Row& row, std::string_view key) const;
    /// Returns whether the interval of one score is below that of the other; an unpaired and therefore strict test.
    [[nodiscard]] bool below(const Row& low, const Row& high, std::string_view key) const;

    /// Returns the keys that the first row answers with enough rows.
    [[nodiscard]] std::vector<std::string> answered(const std::vector<std::string>& keys) const;
    /// Returns "toy KV retrieval 1.00 to 0.04 (guessing 0.12)".
    [[nodiscard]] std::string change(const Row& from, const Row& to, std::string_view key) const;

private:
    [[nodiscard]] std::optional<double> corrected(const Row& row, std::string_view key) const;
    Table m_table;
    std::vector<std::vector<std::optional<double>>> m_p;
};

/// Returns a judge that applies a rule to each model of a table and combines the verdicts.
[[nodiscard]] std::function<Judgement(const Table&)> byModel(std::function<Judgement(const Evidence&)> rule);

} // namespace headscope::experiments
