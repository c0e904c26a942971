// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How patches and edges print their pairs and cells. Main thread.

#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/analysisrun.h"
#include "core/engine/questions/overpairs.h"

namespace headscope::cli {

[[nodiscard]] engine::PatchDirection directionOf(const std::string& text);
/// Throws what CLI11 throws where no prompts were named.
void requirePrompts(const CLI::App& command);

/// Model, pairs and both baselines; of one pair its tokens too.
[[nodiscard]] nlohmann::json pairsJson(const engine::PairsOfTask& pairs, const engine::OverPairs& over,
                                       const Analysed& analysed);
/// Of a cell: value, effect, normalised, and of several pairs their intervals.
[[nodiscard]] nlohmann::json pairsJson(const engine::OverPairs& over, std::size_t cell);
/// The mean metric in a cell.
/// Null where it has none.
[[nodiscard]] nlohmann::json intervalOf(const analysis::Mean& mean);
[[nodiscard]] double meanValue(const engine::OverPairs& over, std::size_t cell);
/// value, effect, its interval, normalised: as they are in a table.
[[nodiscard]] std::vector<std::string> csvNumbers(const engine::OverPairs& over, std::size_t cell);
/// clean and corrupt.
/// Adds the first pair's prompts and answers to the table, and all of them to the tensors' metadata.
void namePairs(AnalysisResult& result, const nlohmann::json& reply);
[[nodiscard]] std::vector<NamedTensor> baselinesOf(const engine::OverPairs& over);

/// Prints what this number of cells for these pairs would take, and runs nothing.
void printForecast(const Context& context, const Analysed& analysed, const engine::PairsOfTask& pairs,
                   std::size_t cells);
/// Two lines on what is compared.
void printBaselines(const nlohmann::json& reply);
/// The cells with the largest effects, named by what they have of sender, receiver, head, layer, position.
[[nodiscard]] std::string largestCells(const nlohmann::json& cells, std::size_t most);

} // namespace headscope::cli
