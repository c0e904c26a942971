// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Analyses on the screen as a session keeps them, and probes back from there. Pure functions; any thread.

#include "app/backend/values/edges.h"
#include "app/backend/values/patch.h"
#include "app/backend/values/sweep.h"
#include "app/backend/values/weights.h"
#include "app/backend/values/why.h"
#include "sessions/analysisrecords.h"

#include <memory>
#include <optional>

namespace headscope::gui {

[[nodiscard]] sessions::AnalysisRecord analysisRecord(const app::LensReply& reply, const app::ModelSummary& model,
                                                      const app::Prompt& prompt);
[[nodiscard]] sessions::AnalysisRecord analysisRecord(const app::DirectReply& reply, const app::ModelSummary& model,
                                                      const app::Prompt& prompt);
[[nodiscard]] sessions::AnalysisRecord analysisRecord(const app::PatchReply& reply, const app::ModelSummary& model);
[[nodiscard]] sessions::AnalysisRecord analysisRecord(const app::EdgeReply& reply, const app::ModelSummary& model);
[[nodiscard]] sessions::AnalysisRecord analysisRecord(const app::SweepReply& reply, const app::ModelSummary& model);
[[nodiscard]] sessions::AnalysisRecord analysisRecord(const app::WeightsReply& reply, const app::ModelSummary& model);
[[nodiscard]] sessions::AnalysisRecord analysisRecord(const app::ProbeReply& reply, const app::ModelSummary& model);

/// What was kept of a probe; null where it is of something else or names heads that the model does not have.
[[nodiscard]] std::shared_ptr<const app::ProbeReply> probeReply(const sessions::AnalysisRecord& record,
                                                                const app::ModelSummary& model, Side side);

} // namespace headscope::gui
