// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The analyses of one prompt that the window shows. Worker thread only.

#include "app/backend/state.h"
#include "app/backend/values/why.h"
#include "core/engine/questions/question.h"

namespace headscope::app {

/// What is asked of the model: the sample's answer and its best wrong choice, of a text of one's own what the model
/// finds most probable.
[[nodiscard]] Result<engine::Question> questionOf(const Backend::Opened& model, const Prompt& prompt,
                                                  const text::Encoding& encoding, const tasks::TaskSet* set);

[[nodiscard]] Result<LensReply> readLens(const Backend::Opened& model, const engine::Question& question,
                                         const interventions::InterventionSet& ablation, const Control& control);
[[nodiscard]] Result<DirectReply> readDirect(const Backend::Opened& model, const engine::Question& question,
                                             const interventions::InterventionSet& ablation, const Control& control);

} // namespace headscope::app
