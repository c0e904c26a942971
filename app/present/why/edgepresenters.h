// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts edges to the data of their page, and part names to parts. Pure functions; any thread.

#include "app/backend/values/edgevalues.h"
#include "core/base/result.h"
#include "widgets/why/edges/edgedata.h"

#include <QString>

namespace headscope::gui {

[[nodiscard]] widgets::EdgeData edgeData(const app::EdgeReply& reply, const app::ModelSummary& model);
/// Returns the direction of patching, the two runs, and the strongest edges into and out of the part.
[[nodiscard]] QString edgeSentence(const app::EdgeReply& reply);
/// Returns sender, receiver, change of the logit difference, its share with interval; one line per edge.
[[nodiscard]] std::string edgeCsv(const app::EdgeReply& reply);
/// Parses "L2H5", "L1.mlp", "embed", "logits". Fails for parts that the model does not have.
[[nodiscard]] Result<app::CircuitPart> circuitPart(const QString& name, const app::ModelSummary& model);

} // namespace headscope::gui
