// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a tokenizer merges across context and continuation, the tokens past the
// context's number are not the text's: such rows are counted, and can be scored
// from the longest common prefix instead. Worker thread.

#include "core/engine/scoring/benchmark.h"

#include <string>

namespace headscope::engine {

/// Which tokens of context + continuation are scored.
enum class Boundary {
    Harness,      ///< those past the number of the context's own tokens, as the
                  ///< reference harness does
    CommonPrefix, ///< those past the longest common prefix of both; of all
                  ///< choices of one context the shortest
};

/// "harness", "common-prefix"
[[nodiscard]] const char* name(Boundary boundary);

/// Rows whose context's own tokens are not the beginning of the whole's, in a
/// choice at least.
struct MergedRows {
    int rows = 0;
    std::string first; ///< "row 4 of 'arc_easy'"; empty without one
};

/// Of a leaf or a group of the set.
[[nodiscard]] MergedRows mergedRows(const tasks::TaskSet& set, const std::string& task,
                                    const text::Tokenizer& tokenizer, BosPolicy bos);
/// That as a sentence for the reader of the score; empty where no row is
/// concerned.
[[nodiscard]] std::string boundaryNote(const std::string& task, const MergedRows& merged, Boundary boundary);

/// As Benchmark::make, scored from the longest common prefix. The version of
/// each leaf says so, so that its results are series of their own.
[[nodiscard]] Result<std::shared_ptr<const Benchmark>>
makeFromCommonPrefix(tasks::TaskSet set, const Scorer& scorer, const text::Tokenizer& tokenizer, BosPolicy bos);

} // namespace headscope::engine
