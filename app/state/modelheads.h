// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Questions about the heads of a model that its summary answers. Pure functions; any thread.

#include "app/backend/values.h"
#include "core/interventions/intervention.h"

#include <cstddef>
#include <string>
#include <vector>

namespace headscope::gui {

/// The mixer that a head belongs to; null where the model has no such head.
[[nodiscard]] const app::MixerSummary* mixerOf(const app::ModelSummary& model, const interventions::HeadRef& head);
/// The same head, its site named where the layer has two, and only there.
[[nodiscard]] interventions::HeadRef siteNamed(const app::ModelSummary& model, interventions::HeadRef head);
/// Attention or Ssm, also where the name leaves it open.
[[nodiscard]] interventions::Site siteOf(const app::ModelSummary& model, const interventions::HeadRef& head);
[[nodiscard]] std::size_t headCount(const app::ModelSummary& model);
/// The most heads that one layer has.
[[nodiscard]] int widestLayer(const app::ModelSummary& model);
/// Whether it has attention and SSM heads.
[[nodiscard]] bool isHybrid(const app::ModelSummary& model);
/// A head in the middle of the network, where there is something to see.
[[nodiscard]] interventions::HeadRef middleHead(const app::ModelSummary& model);
/// Whether ablating every head takes longer than a person waits: an estimate comes first then.
[[nodiscard]] bool isLarge(const app::ModelSummary& model);
/// Whether ablating every head takes so long that an estimate of all goes first: a small model may have many heads.
[[nodiscard]] bool isSlowToRank(const app::ModelSummary& model);
/// Examples a head in the automatic ranking.
[[nodiscard]] int rankLimit(const app::ModelSummary& model);
/// The automatic ranking of the model's heads by gradients; fewer passes for a large one.
[[nodiscard]] app::RankRequest estimateRequest(const app::ModelSummary& model, Side side);

/// The KV retrieval task that heads are ranked by, of a large model with the smallest dictionary; empty where none was
/// scored on a stored model.
[[nodiscard]] std::string retrievalTask(const app::ModelSummary& model);

} // namespace headscope::gui
