// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is read off the maps of heads: whole maps, some rows, small pictures, scores. Worker thread.

#include "app/backend/models.h"

namespace headscope::app {

/// Prompts of more tokens have pooled maps: a map of this many takes 67 MB.
constexpr int kWholeMap = 4096;

class PatternSource;

/// All of a reply but the map, for the tokens that the source reads.
[[nodiscard]] PatternReply withoutMap(Models& models, Side side, const Prompt& prompt, const PatternRequest& request,
                                      const PatternSource& source);
[[nodiscard]] Result<PatternReply> readPattern(Models& models, Side side, const Prompt& prompt,
                                               const PatternRequest& request, const Control& control);
[[nodiscard]] Result<PatternRows> readRows(Models& models, Side side, const Prompt& prompt,
                                           const PatternRequest& request, int first, int count, const Control& control);
[[nodiscard]] Result<PatternPreview> readPreview(Models& models, Side side, const Prompt& prompt,
                                                 const PatternRequest& request, const Control& control);
[[nodiscard]] Result<RowOfHeads> readRowOfHeads(Models& models, Side side, const Prompt& prompt, int row,
                                                const interventions::InterventionSet& ablation, const Control& control);
[[nodiscard]] Result<HeadScores> readHeadScores(Models& models, Side side, const Prompt& prompt,
                                                const interventions::InterventionSet& ablation, const Control& control);

} // namespace headscope::app
