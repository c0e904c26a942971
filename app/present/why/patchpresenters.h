// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts a patching map to the data of its page. Pure functions; any thread.

#include "app/backend/values/headvalues.h"
#include "app/backend/values/patch.h"
#include "widgets/why/patch/patchedrunview.h"
#include "widgets/why/views/griddata.h"

#include <QString>

#include <memory>

namespace headscope::gui {

/// Layers (or a kind of heads in them, or heads) and heads or tokens. `of`: see provenance().
[[nodiscard]] widgets::GridData patchGrid(const std::shared_ptr<const app::PatchReply>& reply,
                                          const std::shared_ptr<const app::ModelSummary>& model, const QString& of);
/// Which cells are at these rows and columns.
[[nodiscard]] std::vector<app::PatchedCell> cellsAt(const app::PatchReply& reply,
                                                    const QList<std::pair<int, int>>& places);
/// Returns the values of heads for the head map; empty for other parts.
[[nodiscard]] std::vector<app::HeadValue> patchValues(const app::PatchReply& reply, const app::ModelSummary& model);
[[nodiscard]] widgets::PatchedRunData patchedRunData(const app::PatchedRunReply& reply, const app::ModelSummary& model,
                                                     const QString& side, const QString& provenance);
/// Returns the result in one line: "L1H2; L2H5: each brings back more than half of the answer."
[[nodiscard]] QString patchHeadline(const app::PatchReply& reply, const app::ModelSummary& model);
/// Returns "This prompt's heads in the other's run, 8 pairs: logit of “17” minus that of “42” 9.3 here, −8.1 there.
/// Most: L1H2 0.99, L2H5 0.98, …"
[[nodiscard]] QString patchSentence(const app::PatchReply& reply, const app::ModelSummary& model);

} // namespace headscope::gui
