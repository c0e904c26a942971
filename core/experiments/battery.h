// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Benchmarks that several tables measure together, as columns. Worker thread.

#include "core/experiments/experimentheads.h"

#include <string>
#include <string_view>
#include <vector>

namespace headscope::experiments {

/// Returns whether the key is one of "mmlu", "lambada" (perplexity), "gsm8k", "swde", "bbh", "knowledge", "kv": the
/// paper's benchmarks, which others replace on the included models.
[[nodiscard]] bool isBatteryKey(std::string_view key);
/// Returns columns for such keys and for names of tasks.
[[nodiscard]] std::vector<Column> batteryColumns(const std::vector<std::string>& keys);

/// Whether cells show their change in percent of the first state's number, as the paper's tables do.
enum class Relative { Hidden, Shown };

/// Measures the same benchmarks in one state after another. Later states are compared with the first, on the same
/// rows.
class Battery
{
public:
    Battery(Lab& lab, std::vector<std::string> keys, Relative relative = Relative::Hidden);

    /// Returns one cell per key under a set of interventions. Empty if the model has no equivalent of the benchmark:
    /// GSM8K, SWDE and BBH on the included models, KV retrieval on others.
    [[nodiscard]] Result<std::vector<Cell>> measure(Bench& bench, const InterventionSet& set);
    /// Adds the same as a row of the lab's table, after the cells already in `row`; later columns stay empty.
    [[nodiscard]] Result<void> add(Bench& bench, Row row, const InterventionSet& set);

private:
    [[nodiscard]] Result<Cell> cellOf(Bench& bench, const std::string& key, const std::string& task,
                                      const InterventionSet& set);
    Lab& m_lab;
    std::vector<std::string> m_keys;
    Relative m_relative;
    std::vector<std::pair<std::string, Measured>> m_first; ///< by key
};

/// Returns "MMLU goes from 100.00 to 21.88, knowledge from 100.00 to 99.00": the changes between two rows, for the keys
/// in both, by the names of the measured benchmarks.
[[nodiscard]] std::string changes(const Table& table, const Row& from, const Row& to,
                                  const std::vector<std::string>& keys);

/// Converts the paper's numbers, in its units (accuracies in percent, perplexities), to a row in Headscope's units.
[[nodiscard]] PaperRow paperRow(const std::string& label, const std::vector<std::string>& keys,
                                const std::vector<double>& numbers);

} // namespace headscope::experiments
