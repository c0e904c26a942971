// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One number of every head as a grid of layers and heads. Pure functions; any thread.

#include "app/backend/values.h"
#include "app/backend/values/headvalues.h"
#include "widgets/why/views/griddata.h"

#include <memory>
#include <optional>

namespace headscope::gui {

/// `title`: what the number is. `most`: the value at the high end of the scale, whose low end is 0 or, where it is
/// signed, the opposite.
[[nodiscard]] widgets::GridData headGrid(const std::shared_ptr<const app::ModelSummary>& model, const QString& title,
                                         const std::vector<app::HeadValue>& values, double most,
                                         widgets::GridScale scale = widgets::GridScale::Sequential);

/// The head of a cell; nothing where the layer has no such head.
[[nodiscard]] std::optional<interventions::HeadRef> headAt(const app::ModelSummary& model, int row, int column);

} // namespace headscope::gui
