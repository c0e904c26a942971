// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Probes of a model's heads as a session kept them. Pure functions; any thread.

#include "app/backend/values/weightvalues.h"
#include "sessions/analysisrecords.h"

#include <memory>

namespace headscope::gui {

/// What was kept of a probe; null where it is of something else or names heads that the model does not have.
[[nodiscard]] std::shared_ptr<const app::ProbeReply> probeReply(const sessions::AnalysisRecord& record,
                                                                const app::ModelSummary& model, Side side);

} // namespace headscope::gui
