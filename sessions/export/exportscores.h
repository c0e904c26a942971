// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The scores of a session as a table, and that table as text. On the thread of the session.

#include "core/analysis/statistics.h"
#include "core/base/result.h"
#include "sessions/export/tabletext.h"
#include "sessions/records.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope::sessions {

class SessionStore;

/// The change of an ablated series from the baseline, on the examples that both have.
struct ScoreChange : analysis::PairedChange {
    std::int64_t n = 0;
    double baseline = 0.0;
    std::int64_t lost = 0; ///< right before, wrong now
    std::int64_t gained = 0;
};

struct ScoreEntry {
    SeriesKey series;
    std::string model;
    std::string metric; ///< "acc" or "acc_norm"
    std::int64_t n = 0;
    std::int64_t rejected = 0;
    double value = 0.0;
    std::optional<double> standardError; ///< of the mean, as in the harness: sqrt(v (1 - v) / (n - 1)); none for n = 1
    analysis::Interval interval;         ///< 95 % confidence interval of value, Wilson
    std::optional<ScoreChange> change;   ///< if the ablation is not empty and the session has its baseline
};

/// Returns one entry per series and metric; series without a scored example are left out.
[[nodiscard]] Result<std::vector<ScoreEntry>> scoreTable(SessionStore& session);

/// JSON is {"scores": [...]} with intervals as pairs; LaTeX and Markdown contain the most important columns.
[[nodiscard]] std::string scoreText(std::span<const ScoreEntry> entries, TableFormat format);

} // namespace headscope::sessions
