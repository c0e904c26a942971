// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores and flips as the scoreboard, the runs list and a sentence say them. Pure functions; any thread.

#include "app/state/windowstate.h"
#include "widgets/scores/flipsmodel.h"
#include "widgets/scores/runsmodel.h"
#include "widgets/scores/scoreboardmodel.h"

#include <QString>

namespace headscope::gui {

[[nodiscard]] widgets::ScoreboardRow scoreRow(const app::BenchmarkScore& line, bool follow, const QString& provenance);
/// A row a benchmark of the model, those that cannot be asked last.
[[nodiscard]] std::vector<widgets::ScoreboardRow> scoreRows(const WindowState& state, Side side);
/// One example, right or wrong before and now; `broken` of the row is not read.
[[nodiscard]] widgets::Flip flipOf(const app::FlipRow& row, bool before, bool now);
[[nodiscard]] std::vector<widgets::Flip> flips(const std::vector<app::FlipRow>& rows);

/// "L2H5 is off — KV retrieval, 8 pairs worse (0.98 → 0.02, guessing 0.13, p = 1e-74); no change seen in knowledge
/// (1.00 → 1.00, n = 300)."
[[nodiscard]] QString verdictSentence(const QString& side, const QString& ablation,
                                      const std::vector<app::BenchmarkScore>& lines);
/// The same in few words, for a narrow column: which fell, which rose, and in which no change was seen.
[[nodiscard]] QString costSentence(const QString& state, const std::vector<app::BenchmarkScore>& lines);
/// How much was scored in which time, and whether it continues: "64 of 1,000 examples in 10 s · continuing".
[[nodiscard]] QString scoreFootnote(const app::ScoreReply& scores);
/// Those that are there, as a line of runs shows them.
[[nodiscard]] QList<widgets::RunScore> scoreSummary(const std::vector<app::BenchmarkScore>& lines);

} // namespace headscope::gui
