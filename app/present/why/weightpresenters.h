// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts weight and probe scores to the data of the pages and the map. Pure functions; any thread.

#include "app/backend/values/weightvalues.h"
#include "widgets/heads/headmapmodel.h"
#include "widgets/why/weightsview.h"

#include <QString>

namespace headscope::gui {

[[nodiscard]] widgets::WeightsData weightsData(const app::WeightsReply& reply, const app::ModelSummary& model);
/// Returns the head's strongest composition, the value for random matrices, and unknown scores.
[[nodiscard]] QString weightsSentence(const app::WeightsReply& reply, const app::ModelSummary& model);

/// Returns the probe scores: induction, previous, duplicate, sink, and retrieval if there were rows.
[[nodiscard]] QStringList probeMethods(const app::ProbeReply& reply);
[[nodiscard]] double probeScore(const app::ProbedHead& head, const QString& method);
/// Returns the head, its scores, and its label by the threshold.
[[nodiscard]] std::vector<QVariantList> probeRows(const app::ProbeReply& reply, double threshold);
[[nodiscard]] QStringList probeColumns(const app::ProbeReply& reply);
/// Returns one score of every head, for the head map.
[[nodiscard]] std::vector<app::HeadValue> probeValues(const app::ProbeReply& reply, const QString& method);
/// Returns the labels for the map: letters, and a description with score and threshold.
[[nodiscard]] QList<widgets::HeadTag> probeTags(const app::ProbeReply& reply, const app::ModelSummary& model,
                                                double threshold);
/// Returns the probe sequences, and the number of heads with each label.
[[nodiscard]] QString probeSentence(const app::ProbeReply& reply, double threshold);

} // namespace headscope::gui
