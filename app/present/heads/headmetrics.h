// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The metrics of a head map. Pure functions; any thread.

#include "app/state/sidestate.h"
#include "widgets/heads/headmapmodel.h"

#include <QString>

namespace headscope::gui {

/// Returns the available metrics: id and translated name, "effect" first.
[[nodiscard]] QList<std::pair<QString, QString>> headMetricChoices();
/// Returns whether the id is a built-in metric, not a column of a user's file.
[[nodiscard]] bool isMeasuredMetric(const QString& id);
/// Returns whether the id is one of headMetricChoices().
[[nodiscard]] bool isHeadMetric(const QString& id);
/// Returns the name for a list of choices; for a column of a user's file its own name.
[[nodiscard]] QString headMetricName(const QString& id);
/// Returns the title for the legend: name and data it was measured on.
[[nodiscard]] QString headMetricTitle(const QString& id);
/// Returns the values of a ranking or metric in the order of the map's rows.
[[nodiscard]] widgets::HeadMetric headMetric(const app::ModelSummary& model, const QString& name, bool isSigned,
                                             const std::vector<app::HeadValue>& heads, bool useDelta);
/// Returns the metric chosen by the user; nothing while it is not available.
[[nodiscard]] std::optional<widgets::HeadMetric> shownMetric(const SideState& side);

} // namespace headscope::gui
