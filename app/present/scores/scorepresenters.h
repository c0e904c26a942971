// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores and changed examples for the scoreboard, the list of runs and sentences. Pure functions; any thread.

#include "app/state/windowstate.h"
#include "widgets/scores/flipsmodel.h"
#include "widgets/scores/runsmodel.h"
#include "widgets/scores/scoreboardmodel.h"

#include <QString>

namespace headscope::gui {

[[nodiscard]] widgets::ScoreboardRow scoreRow(const app::BenchmarkScore& line, bool follow, const QString& provenance);
/// Returns one row per benchmark of the model, with unavailable ones last.
[[nodiscard]] std::vector<widgets::ScoreboardRow> scoreRows(const WindowState& state, Side side);
/// Returns one example with its outcomes before and now; `broken` of the row is ignored.
[[nodiscard]] widgets::Flip flipOf(const app::FlipRow& row, bool before, bool now);
[[nodiscard]] std::vector<widgets::Flip> flips(const std::vector<app::FlipRow>& rows);

/// Returns "L2H5 is off — KV retrieval, 8 pairs worse (0.98 → 0.02, guessing 0.13, p = 1e-74); no change seen in
/// knowledge (1.00 → 1.00, n = 300)."
[[nodiscard]] QString verdictSentence(const QString& side, const QString& ablation,
                                      const std::vector<app::BenchmarkScore>& lines);
/// The same in short, for a narrow column: which scores fell, which rose, and which did not change.
[[nodiscard]] QString costSentence(const QString& state, const std::vector<app::BenchmarkScore>& lines);
/// Returns the amount of scoring, its duration and whether it continues: "64 of 1,000 examples in 10 s · continuing".
[[nodiscard]] QString scoreFootnote(const app::ScoreReply& scores);
/// Returns the available scores for a line of the list of runs.
[[nodiscard]] QList<widgets::RunScore> scoreSummary(const std::vector<app::BenchmarkScore>& lines);

} // namespace headscope::gui
