// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a tokenizer merges across context and continuation, the tokens past the
// context's number are not the text's: such rows are counted, and can be scored
// from the longest common prefix instead. Worker thread.

#include "core/engine/scoring/benchmark.h"
#include "core/engine/scoring/pairs/boundaryrule.h"

#include <string>

namespace headscope::engine {

/// Scored rows whose context's own tokens are not the beginning of the whole's, in a choice at least.
struct MergedRows {
    int rows = 0;
    std::string firstTask; ///< "arc_easy"
    int firstRow = 0;      ///< its row in the file

    [[nodiscard]] std::string first() const; ///< "row 4 of 'arc_easy'"; empty without one
};

/// Of a leaf or a group of the set. Encodes it.
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
