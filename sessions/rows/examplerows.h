// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The examples of two series side by side, at any number: totals without reading texts, and pages of rows for
// scrolling. On the thread of the session.

#include "core/analysis/statistics.h"
#include "core/base/result.h"
#include "sessions/records.h"

#include <cstdint>
#include <span>
#include <vector>

namespace headscope::sessions {

class SessionStore;

struct PairedTotals {
    analysis::PairedCounts acc;
    analysis::PairedCounts norm; ///< by acc_norm; empty if the task has none
};

/// Returns the counts over the examples that both series scored.
[[nodiscard]] Result<PairedTotals> pairedTotals(SessionStore& session, const SeriesKey& before, const SeriesKey& now);

/// The outcomes of one example in two series.
struct PairedExample {
    std::int64_t id = 0; ///< row id of the example in this file
    bool before = false; ///< correct
    bool now = false;
};

/// Returns the examples that both series scored, in order of row: 16 bytes each, so that a list of a million is read
/// quickly.
[[nodiscard]] Result<std::vector<PairedExample>> pairedExamples(SessionStore& session, const SeriesKey& before,
                                                                const SeriesKey& now);

struct ExamplePair {
    ExampleRecord example;
    ResultRecord before;
    ResultRecord now;
};

/// Returns the texts and scores of some examples, in the order of `ids`: a page of a table.
[[nodiscard]] Result<std::vector<ExamplePair>> examplePairs(SessionStore& session, const SeriesKey& before,
                                                            const SeriesKey& now, std::span<const std::int64_t> ids);

} // namespace headscope::sessions
