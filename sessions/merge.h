// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Joins two sessions. On the thread of both.

#include "core/base/progress.h"
#include "core/base/result.h"

#include <cstdint>

namespace headscope::sessions {

class SessionStore;

/// What a merge added; all zero when it had been done before.
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
    std::int64_t conflicts = 0; ///< the same identity with other content; both are kept

    bool operator==(const MergeReport&) const = default;
};

/// Adds to `into` what `from` has and it has not, in one transaction. Doing it twice adds nothing. Where both have the
/// same identity with other content, ours stays what it is and theirs is kept beside it: runs, patterns, figures
/// and reports as a second entry, examples, results and labels in the table `conflicts`. Window state, tours,
/// answers and claims are not merged; a part that is done in one of both is done.
[[nodiscard]] Result<MergeReport> merge(SessionStore& into, SessionStore& from, const Control& control = {});

} // namespace headscope::sessions
