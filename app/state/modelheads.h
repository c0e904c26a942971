// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Queries about the heads of a model, answered from its summary. Pure functions; any thread.

#include "app/backend/values.h"
#include "core/interventions/intervention.h"

#include <cstddef>
#include <string>

namespace headscope::gui {

/// Returns the mixer that a head belongs to; null if the model has no such head.
[[nodiscard]] const app::MixerSummary* mixerOf(const app::ModelSummary& model, const interventions::HeadRef& head);
/// Returns the same head with its site named if, and only if, the layer has two.
[[nodiscard]] interventions::HeadRef siteNamed(const app::ModelSummary& model, interventions::HeadRef head);
/// Returns Attention or Ssm, also if the name of the head does not specify it.
[[nodiscard]] interventions::Site siteOf(const app::ModelSummary& model, const interventions::HeadRef& head);
[[nodiscard]] std::size_t headCount(const app::ModelSummary& model);
/// Returns the largest number of heads in a layer.
[[nodiscard]] int widestLayer(const app::ModelSummary& model);
/// Returns whether the model has both attention and SSM heads.
[[nodiscard]] bool isHybrid(const app::ModelSummary& model);
/// Returns a head in the middle of the network, whose pattern is usually informative.
[[nodiscard]] interventions::HeadRef middleHead(const app::ModelSummary& model);
/// Returns whether ablating every head takes too long to wait for: an estimate is shown first then.
[[nodiscard]] bool isLarge(const app::ModelSummary& model);
/// Returns whether ablating every head takes long enough to estimate all first: small models may have many heads.
[[nodiscard]] bool isSlowToRank(const app::ModelSummary& model);
/// Returns the number of examples per head in the automatic ranking.
[[nodiscard]] int rankLimit(const app::ModelSummary& model);
/// Returns the automatic ranking of the model's heads by gradients; with fewer passes for a large model.
[[nodiscard]] app::RankRequest estimateRequest(const app::ModelSummary& model, Side side);

/// Returns the KV retrieval task for rankings, of a large model the one with the smallest dictionary; empty for a
/// stored model without scores on one.
[[nodiscard]] std::string retrievalTask(const app::ModelSummary& model);

} // namespace headscope::gui
