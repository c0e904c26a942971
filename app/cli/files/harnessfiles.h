// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes scores in the folder format of lm-evaluation-harness v0.4.7: results and samples files. Main thread.

#include "app/cli/runs/scorerun.h"
#include "core/tasks/import/harnessjson.h"

#include <filesystem>
#include <span>

namespace headscope::cli {

/// Writes FOLDER/<model>/results_<time>.json and one samples_<task>_<time>.jsonl per leaf task, a line for each row and
/// filter; failed rows are only counted in the results file. With an ablation the scores are those under it. Returns
/// the path of the results file. Fails if a file cannot be written.
[[nodiscard]] Result<std::filesystem::path> writeHarnessFiles(const std::filesystem::path& folder,
                                                              const tasks::HarnessRun& run,
                                                              std::span<const ScoredTask> scored);

} // namespace headscope::cli
