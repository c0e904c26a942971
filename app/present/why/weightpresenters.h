// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts weight and probe scores to the data of the pages and the map. Pure functions; any thread.

#include "app/backend/values/weightvalues.h"
#include "widgets/heads/headmapmodel.h"
#include "widgets/why/weightsview.h"

#include <QString>

#include <memory>

namespace headscope::gui {

/// Copying and composition by layer and head, the composition once for each way in which a receiver reads.
[[nodiscard]] widgets::WeightsData weightsData(const app::WeightsReply& reply,
                                               const std::shared_ptr<const app::ModelSummary>& model);
/// The head's strongest composition, what random matrices give, and what is unknown.
[[nodiscard]] QString weightsSentence(const app::WeightsReply& reply, const app::ModelSummary& model);

/// Returns the probe scores: induction, previous, duplicate, sink, and retrieval if there were rows.
[[nodiscard]] QStringList probeMethods(const app::ProbeReply& reply);
[[nodiscard]] double probeScore(const app::ProbedHead& head, const QString& method);
[[nodiscard]] QString probeName(const QString& method);
/// Each head, its scores, and the label that it carries from the threshold on.
[[nodiscard]] widgets::Numbers probeNumbers(const app::ProbeReply& reply, double threshold);
/// One score of every head, to colour the map by.
[[nodiscard]] std::vector<app::HeadValue> probeValues(const app::ProbeReply& reply, const QString& method);
/// Returns the labels for the map: letters, and a description with score and threshold.
[[nodiscard]] QList<widgets::HeadTag> probeTags(const app::ProbeReply& reply, const app::ModelSummary& model,
                                                double threshold);
/// Returns the probe sequences, and the number of heads with each label.
[[nodiscard]] QString probeSentence(const app::ProbeReply& reply, double threshold);

} // namespace headscope::gui
