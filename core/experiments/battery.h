// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The benchmarks that several tables measure side by side, as columns. Worker thread.

#include "core/experiments/heads.h"

#include <string>
#include <vector>

namespace headscope::experiments {

/// "mmlu", "lambada" (perplexity), "gsm8k", "swde", "bbh", "knowledge", "kv" as columns.
[[nodiscard]] std::vector<Column> batteryColumns(const std::vector<std::string>& keys);

/// One cell a key under a set of interventions. Empty where the model has nothing that stands for the benchmark: GSM8K,
/// SWDE and BBH on the shipped models, KV-Retrieval on others. `first`: cells that the relative change is taken to;
/// empty: none.
[[nodiscard]] Result<std::vector<Cell>> measureBattery(Lab& lab, Bench& bench, const std::vector<std::string>& keys,
                                                       const InterventionSet& set, const std::vector<Cell>& first = {});

/// The same as a row of the lab's table, behind the cells that `row` has already; columns after them stay empty. Its
/// cells.
[[nodiscard]] Result<std::vector<Cell>> addBatteryRow(Lab& lab, Bench& bench, Row row,
                                                      const std::vector<std::string>& keys, const InterventionSet& set,
                                                      const std::vector<Cell>& first = {});

/// "MMLU goes from 100.00 to 21.88, knowledge from 100.00 to 99.00": of two rows, for the keys that both have.
[[nodiscard]] std::string changes(const Table& table, const Row& from, const Row& to,
                                  const std::vector<std::string>& keys);

/// The paper's numbers of a table in its own units: accuracies in percent, perplexities as they are.
[[nodiscard]] PaperRow paperRow(const std::string& label, const std::vector<std::string>& keys,
                                const std::vector<double>& numbers);

} // namespace headscope::experiments
