// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From the worker's answers to what widgets show: names, rows, spans. Pure functions; GUI thread.

#include "app/backend/values.h"
#include "core/interventions/intervention.h"
#include "widgets/heads/headmapmodel.h"
#include "widgets/pattern/patterndata.h"
#include "widgets/scores/flipsview.h"
#include "widgets/scores/scoreboardmodel.h"

#include <QString>

namespace headscope::gui {

/// "KV-Retrieval n=8", "MC (4 options)", "knowledge"; a name that is not known is shown as it is.
[[nodiscard]] QString taskTitle(const QString& task);
/// The same in a few letters, for the runs list: "KV8", "MC", "know".
[[nodiscard]] QString taskShortName(const QString& task);

[[nodiscard]] std::vector<widgets::HeadRow> headRows(const app::ModelSummary& model);
/// A head (or block) of the map as the command line writes it: "L2H5", "L2A5".
[[nodiscard]] interventions::HeadRef headRef(const app::ModelSummary& model, const widgets::HeadSpan& span,
                                             int offset = 0);
/// "L2H5"; a channel of Mamba-1 is "L2C5" here as on the command line.
[[nodiscard]] std::string headName(const app::ModelSummary& model, const widgets::HeadSpan& span);
[[nodiscard]] widgets::HeadSpan headSpan(const app::ModelSummary& model, const interventions::HeadRef& head);
/// Which heads an ablation set switches off for the map: removed ones, those that "keep" leaves out, skipped layers.
[[nodiscard]] QList<widgets::HeadSpan> offHeads(const app::ModelSummary& model,
                                                const interventions::InterventionSet& set);
/// What can colour the heads: id and translated name, "effect" first.
[[nodiscard]] QList<std::pair<QString, QString>> headMetricChoices();
/// What the legend says: name and what it was measured on.
[[nodiscard]] QString headMetricTitle(const QString& id);
/// The values of a ranking or metric in the order of the map's rows.
[[nodiscard]] widgets::HeadMetric headMetric(const app::ModelSummary& model, const QString& name, bool isSigned,
                                             const std::vector<app::HeadValue>& heads, bool useDelta);

/// The role of a piece of prompt, from and to its name in the engine ("key", "value" ...).

[[nodiscard]] widgets::ScoreboardRow scoreRow(const app::BenchmarkScore& line, bool follow, const QString& provenance);
/// One example, right or wrong before and now; `broken` of the row is not read.
[[nodiscard]] widgets::Flip flipOf(const app::FlipRow& row, bool before, bool now);
[[nodiscard]] std::vector<widgets::Flip> flips(const std::vector<app::FlipRow>& rows);

/// "L2H5 is off — KV-Retrieval n=8 fell to chance (0.98 → 0.02, p = 1e-74), knowledge did not move (1.00 → 1.00)."
[[nodiscard]] QString verdictSentence(const QString& side, const QString& ablation,
                                      const std::vector<app::BenchmarkScore>& lines);
/// "KV8 .02  MC .29  know 1.00"
[[nodiscard]] QString scoreSummary(const std::vector<app::BenchmarkScore>& lines);
/// What a state is called in lists and charts: "baseline", "L2H3 off", or the canonical text.
[[nodiscard]] QString stateName(const interventions::InterventionSet& set);

} // namespace headscope::gui
