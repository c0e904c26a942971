// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the rows of one model show, by thresholds that all experiments share. Tests are paired and corrected (Holm) for
// all contrasts of the model's rows. Pure functions; any thread.

#include "core/experiments/evidence/verdict.h"
#include "core/experiments/words/table.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::experiments {

inline constexpr double kLevel = 0.05; ///< of corrected p values
inline constexpr double kMargin = 0.1; ///< a score that changes by less than this is kept
inline constexpr int kLeastRows = 30;  ///< fewer rows carry no verdict

class Evidence
{
public:
    explicit Evidence(Table table);

    [[nodiscard]] const Table& table() const { return m_table; }
    [[nodiscard]] const Row& first() const { return m_table.rows.front(); }

    /// Enough rows, none of them made-up samples.
    [[nodiscard]] bool carries(const Row& row, std::string_view key) const;
    /// The interval lies above the floor.
    [[nodiscard]] bool answers(const Row& row, std::string_view key) const;
    /// Less, or more, than in the state that it is compared with (corrected p below kLevel).
    [[nodiscard]] bool falls(const Row& row, std::string_view key) const;
    /// A score that ends at guessing, or below it, has risen to nothing.
    [[nodiscard]] bool rises(const Row& row, std::string_view key) const;
    /// Falls, and at least half of what `before` had above the floor is gone.
    [[nodiscard]] bool collapses(const Row& before, const Row& row, std::string_view key) const;
    /// The whole interval of the change lies above -kMargin.
    [[nodiscard]] bool keeps(const Row& row, std::string_view key) const;
    /// The interval of one score lies below that of the other; a test without pairing, so a strict one.
    [[nodiscard]] bool below(const Row& low, const Row& high, std::string_view key) const;

    /// Those of the keys that the first row answers with enough rows.
    [[nodiscard]] std::vector<std::string> answered(const std::vector<std::string>& keys) const;
    /// "toy KV retrieval 1.00 to 0.04 (guessing 0.12)".
    [[nodiscard]] std::string change(const Row& from, const Row& to, std::string_view key) const;

private:
    [[nodiscard]] std::optional<double> corrected(const Row& row, std::string_view key) const;
    Table m_table;
    std::vector<std::vector<std::optional<double>>> m_p;
};

/// What a rule says of each model of a table, and of all together.
[[nodiscard]] Judgement judgeModels(const Table& table, const std::function<Judgement(const Evidence&)>& rule);

} // namespace headscope::experiments
