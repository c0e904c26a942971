// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The default benchmarks of a model. Generates a few rows; any thread.

#include "core/tasks/registry.h"
#include "core/text/tokenizer.h"

#include <string>
#include <vector>

namespace headscope::app {

struct Scoreboard {
    std::vector<std::string> benchmarks; ///< in order of importance
    std::string kvTask;                  ///< "toy_kv", "word_kv" or "kv_retrieval"
    std::vector<int> kvSizes;            ///< dictionary sizes of the accuracy curve, ascending, at least one
};

/// Returns toy tasks for our own models, for all others the paper's KV retrieval, in sizes whose prompts fit
/// `maxPositions` tokens (0: no limit), and real benchmarks.
[[nodiscard]] Scoreboard scoreboardOf(const text::Tokenizer& tokenizer, int maxPositions,
                                      const tasks::TaskOptions& options);

} // namespace headscope::app
