// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Edges as the page shows them, and parts as a person writes them. Pure functions; any thread.

#include "app/backend/values/edgevalues.h"
#include "core/base/result.h"
#include "widgets/why/edges/edgedata.h"

#include <QString>

namespace headscope::gui {

[[nodiscard]] widgets::EdgeData edgeData(const app::EdgeReply& reply, const app::ModelSummary& model);
/// Whose run goes where, the two runs, and which edges carry most into the part and from it.
[[nodiscard]] QString edgeSentence(const app::EdgeReply& reply);
/// sender, receiver, change of the logit difference, its share with interval; a line an edge.
[[nodiscard]] std::string edgeCsv(const app::EdgeReply& reply);
/// "L2H5", "L1.mlp", "embed", "logits". Fails for what the model does not have.
[[nodiscard]] Result<app::CircuitPart> circuitPart(const QString& name, const app::ModelSummary& model);

} // namespace headscope::gui
