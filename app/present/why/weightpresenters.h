// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What weights say and what heads do on probes, as the pages and the map show it. Pure functions; any thread.

#include "app/backend/values/weightvalues.h"
#include "widgets/heads/headmapmodel.h"
#include "widgets/why/weightsview.h"

#include <QString>

namespace headscope::gui {

[[nodiscard]] widgets::WeightsData weightsData(const app::WeightsReply& reply, const app::ModelSummary& model);
/// The head's strongest composition, what random matrices give, and what is unknown.
[[nodiscard]] QString weightsSentence(const app::WeightsReply& reply, const app::ModelSummary& model);

/// The scores that were probed: induction, previous, duplicate, sink, and retrieval where rows were given.
[[nodiscard]] QStringList probeMethods(const app::ProbeReply& reply);
[[nodiscard]] double probeScore(const app::ProbedHead& head, const QString& method);
/// The head, its scores, and the label that it carries from the threshold on.
[[nodiscard]] std::vector<QVariantList> probeRows(const app::ProbeReply& reply, double threshold);
[[nodiscard]] QStringList probeColumns(const app::ProbeReply& reply);
/// One score of every head, to colour the map by.
[[nodiscard]] std::vector<app::HeadValue> probeValues(const app::ProbeReply& reply, const QString& method);
/// The labels as the map writes them: letters, and in words with score and threshold.
[[nodiscard]] QList<widgets::HeadTag> probeTags(const app::ProbeReply& reply, const app::ModelSummary& model,
                                                double threshold);
/// What was probed with, and how many heads carry which label.
[[nodiscard]] QString probeSentence(const app::ProbeReply& reply, double threshold);

} // namespace headscope::gui
