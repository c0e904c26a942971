// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads probe results from a session record. Pure functions; any thread.

#include "app/backend/values/weightvalues.h"
#include "sessions/analyses.h"

#include <memory>

namespace headscope::gui {

/// Returns a stored probe; null if the record is of another kind or names heads that the model does not have.
[[nodiscard]] std::shared_ptr<const app::ProbeReply> probeReply(const sessions::AnalysisRecord& record,
                                                                const app::ModelSummary& model, Side side);

} // namespace headscope::gui
