// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Results computed from the maps of heads: whole maps, some rows, previews, scores. Worker thread.

#include "app/backend/models.h"

namespace headscope::app {

/// Longest prompt, in tokens, whose maps are not pooled: a map of this size takes 67 MB.
constexpr int kWholeMap = 4096;

class PatternSource;

/// Returns a reply without its map, for the tokens that the source reads.
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
