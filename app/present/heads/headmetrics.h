// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The numbers that colour a head map. Pure functions; any thread.

#include "app/state/sidestate.h"
#include "widgets/heads/headmapmodel.h"

#include <QString>

namespace headscope::gui {

/// What can colour the heads: id and translated name, "effect" first.
[[nodiscard]] QList<std::pair<QString, QString>> headMetricChoices();
/// One of those, and not a column of a person's file.
[[nodiscard]] bool isHeadMetric(const QString& id);
/// What a list of choices says: of a column of a person's file its own name.
[[nodiscard]] QString headMetricName(const QString& id);
/// What the legend says: name and what it was measured on.
[[nodiscard]] QString headMetricTitle(const QString& id);
/// The values of a ranking or metric in the order of the map's rows.
[[nodiscard]] widgets::HeadMetric headMetric(const app::ModelSummary& model, const QString& name, bool isSigned,
                                             const std::vector<app::HeadValue>& heads, bool useDelta);
/// What the person chose to see; nothing while it is not there.
[[nodiscard]] std::optional<widgets::HeadMetric> shownMetric(const SideState& side);

} // namespace headscope::gui
