// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a tokenizer merges across context and continuation, the tokens after the context's token count are not
// the continuation's: such rows are counted, and can be scored from the longest common prefix instead. Worker
// thread.

#include "core/engine/scoring/benchmark.h"
#include "core/engine/scoring/pairs/boundaryrule.h"

#include <string>

namespace headscope::engine {

/// Scored rows in which, for at least one choice, the context's tokens are not a prefix of the whole text's.
struct MergedRows {
    int rows = 0;
    std::string firstTask; ///< "arc_easy"
    int firstRow = 0;      ///< its row in the file

    [[nodiscard]] std::string first() const; ///< "row 4 of 'arc_easy'"; empty without one
};

/// Counts such rows in a leaf or a group of the set, by encoding it.
[[nodiscard]] MergedRows mergedRows(const tasks::TaskSet& set, const std::string& task,
                                    const text::Tokenizer& tokenizer, BosPolicy bos);

/// Returns that as a sentence for the reader of the score; empty if no row is
/// affected.
[[nodiscard]] std::string boundaryNote(const std::string& task, const MergedRows& merged, Boundary boundary);

/// Makes a benchmark like Benchmark::make, scored from the longest common prefix. The version of each leaf records it,
/// so that its results form separate series.
[[nodiscard]] Result<std::shared_ptr<const Benchmark>>
makeFromCommonPrefix(tasks::TaskSet set, const Scorer& scorer, const text::Tokenizer& tokenizer, BosPolicy bos);

} // namespace headscope::engine
