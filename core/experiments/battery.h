// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The benchmarks that several tables measure side by side, as columns. Worker thread.

#include "core/experiments/experimentheads.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::experiments {

/// Whether it is one of "mmlu", "lambada" (perplexity), "gsm8k", "swde", "bbh", "knowledge", "kv": the paper's
/// benchmarks, which others replace on the shipped models.
[[nodiscard]] bool isBatteryKey(std::string_view key);
/// Such keys, and names of tasks, as columns.
[[nodiscard]] std::vector<Column> batteryColumns(const std::vector<std::string>& keys);

/// Whether cells say how much they changed, in percent of the first state's number, as the paper's tables do.
enum class Relative { Hidden, Shown };

/// Measures the same benchmarks in one state after another. The first state is what the later ones are compared with,
/// on the same rows.
class Battery
{
public:
    Battery(Lab& lab, std::vector<std::string> keys, Relative relative = Relative::Hidden);

    /// One cell a key under a set of interventions. Empty where the model has nothing that stands for the benchmark:
    /// GSM8K, SWDE and BBH on the shipped models, KV retrieval on others.
    [[nodiscard]] Result<std::vector<Cell>> measure(Bench& bench, const InterventionSet& set);
    /// The same as a row of the lab's table, behind the cells that `row` has already; columns after them stay empty.
    [[nodiscard]] Result<void> add(Bench& bench, Row row, const InterventionSet& set);

private:
    [[nodiscard]] Result<Cell> cellOf(Bench& bench, const std::string& key, const std::string& task,
                                      const InterventionSet& set);
    Lab& m_lab;
    std::vector<std::string> m_keys;
    Relative m_relative;
    std::vector<std::pair<std::string, Measured>> m_first; ///< by key
};

/// "MMLU goes from 100.00 to 21.88, knowledge from 100.00 to 99.00": of two rows, for the keys that both have, by the
/// names of what was measured.
[[nodiscard]] std::string changes(const Table& table, const Row& from, const Row& to,
                                  const std::vector<std::string>& keys);

/// The paper's numbers of a table in its own units: accuracies in percent, perplexities as they are.
[[nodiscard]] PaperRow paperRow(const std::string& label, const std::vector<std::string>& keys,
                                const std::vector<double>& numbers);

} // namespace headscope::experiments
