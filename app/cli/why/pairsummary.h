// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Prints pairs and cells of activation and path patching. Main thread.

#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/analysisrun.h"
#include "core/engine/questions/overpairs.h"

namespace headscope::cli {

[[nodiscard]] engine::PatchDirection directionOf(const std::string& text);
/// Throws the exception of CLI11 if no prompts were named.
void requirePrompts(const CLI::App& command);

/// Returns model, pairs and both baselines; for a single pair also its tokens.
[[nodiscard]] nlohmann::json pairsJson(const engine::PairsOfTask& pairs, const engine::OverPairs& over,
                                       const Analysed& analysed);
/// Returns value, effect and normalised effect of a cell, and for several pairs their intervals.
[[nodiscard]] nlohmann::json pairsJson(const engine::OverPairs& over, std::size_t cell);
/// Returns the interval of a mean,
/// or null if it has none.
[[nodiscard]] nlohmann::json intervalOf(const analysis::Mean& mean);
[[nodiscard]] double meanValue(const engine::OverPairs& over, std::size_t cell);
/// Returns value, effect, its interval and normalised effect, in the format of a table.
[[nodiscard]] std::vector<std::string> csvNumbers(const engine::OverPairs& over, std::size_t cell);
/// Adds the first pair's prompts and answers to the table, and all of them
/// to the metadata of the tensors.
void namePairs(AnalysisResult& result, const nlohmann::json& reply);
[[nodiscard]] std::vector<NamedTensor> baselinesOf(const engine::OverPairs& over);

/// Prints the expected cost of this number of cells for these pairs, without running them.
void printForecast(const Context& context, const Analysed& analysed, const engine::PairsOfTask& pairs,
                   std::size_t cells);
/// Prints two lines on the compared runs.
void printBaselines(const nlohmann::json& reply);
/// Returns the cells with the largest effects, named by their sender, receiver, head, layer and position, if present.
[[nodiscard]] std::string largestCells(const nlohmann::json& cells, std::size_t most);

} // namespace headscope::cli
