// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The examples of two series side by side, however many there are: sums without reading texts, and pages of rows to
// scroll in. On the thread of the session.

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
    analysis::PairedCounts norm; ///< by acc_norm; empty where the task has none
};

/// Counts of the examples that both series scored.
[[nodiscard]] Result<PairedTotals> pairedTotals(SessionStore& session, const SeriesKey& before, const SeriesKey& now);

/// What two series say about one example.
struct PairedExample {
    std::int64_t id = 0; ///< of the example in this file
    bool before = false; ///< right
    bool now = false;
};

/// The examples that both series scored, in order of row: 16 bytes each, so that a list of a million is a moment's
/// work.
[[nodiscard]] Result<std::vector<PairedExample>> pairedExamples(SessionStore& session, const SeriesKey& before,
                                                                const SeriesKey& now);

struct ExamplePair {
    ExampleRecord example;
    ResultRecord before;
    ResultRecord now;
};

/// The texts and numbers of some of them, in the order of `ids`: a page of a table.
[[nodiscard]] Result<std::vector<ExamplePair>> examplePairs(SessionStore& session, const SeriesKey& before,
                                                            const SeriesKey& now, std::span<const std::int64_t> ids);

} // namespace headscope::sessions
