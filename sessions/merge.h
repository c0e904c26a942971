// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Merges two sessions. On the thread of both.

#include "core/base/progress.h"
#include "core/base/result.h"

#include <cstdint>

namespace headscope::sessions {

class SessionStore;

/// The number of items that a merge added; all zero if it had been done before.
struct MergeReport {
    std::int64_t models = 0;
    std::int64_t examples = 0;
    std::int64_t results = 0;
    std::int64_t runs = 0;
    std::int64_t rankings = 0;
    std::int64_t patterns = 0;
    std::int64_t figures = 0;
    std::int64_t labels = 0;
    std::int64_t history = 0;
    std::int64_t reports = 0; ///< of experiments
    std::int64_t surveys = 0;
    std::int64_t conflicts = 0; ///< same identity with different content; both are kept

    bool operator==(const MergeReport&) const = default;
};

/// Adds to `into` everything that only `from` contains, in one transaction. Repeating it adds nothing. If both contain
/// the same identity with different content, ours is unchanged and theirs is stored beside it: runs, patterns, figures
/// and reports as a second entry, examples, results and labels in the table `conflicts`. Window state, tours, answers
/// and claims are not merged; a part that is done in one of both is done.
[[nodiscard]] Result<MergeReport> merge(SessionStore& into, SessionStore& from, const Control& control = {});

} // namespace headscope::sessions
