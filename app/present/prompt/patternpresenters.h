// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts the worker's maps to the data of the pattern views. Pure functions; GUI thread.

#include "app/state/sidestate.h"
#include "core/analysis/tokenmatch.h"
#include "widgets/pattern/card/patternpage.h"
#include "widgets/pattern/card/rowprofile.h"
#include "widgets/pattern/patterndata.h"
#include "widgets/pattern/patternscale.h"

#include <QImage>

#include <memory>
#include <span>

namespace headscope::gui {

/// A map and its model.
struct ShownMap {
    const app::PatternReply& reply;
    const app::ModelSummary& model;
};

/// Returns the request for the worker; views of several maps are composed from plain ones.
[[nodiscard]] app::PatternRequest patternRequest(const SideState& side, widgets::PatternShown shown,
                                                 analysis::MatrixConvention convention);
/// Returns the highlighted row: the locked one, otherwise the last; -1 without a map.
[[nodiscard]] int shownRow(const SideState& side);
/// Returns the data of a map. A map whose rows sum to 1 is shared, not copied. For others the share of each row is
/// shown, |M| over the row's sum of |M|, so that both kinds of heads have the same scale; `isSigned` keeps the signs.
[[nodiscard]] widgets::PatternData patternData(const std::shared_ptr<const app::PatternReply>& reply,
                                               const app::ModelSummary& model, const QString& side,
                                               const QString& provenance, bool isSigned = false);
/// Returns rows of a pooled map, scaled as in the map that patternData() returned.
[[nodiscard]] std::shared_ptr<const Matrix>
exactRows(const app::PatternReply& shown, const std::shared_ptr<const app::PatternRows>& rows, bool isSigned = false);
/// Returns the profile of row `row` of the map; `values` are that row's cells, one per token.
[[nodiscard]] widgets::RowProfile rowProfile(const app::PatternReply& reply, const app::ModelSummary& model, int row,
                                             std::span<const float> values, bool isSigned = false);
/// Returns A minus B on the tokens of A; neither may be pooled. If one of them is signed, the rows of both are divided
/// by the sum of their absolute values first, as stated in the title.
[[nodiscard]] widgets::PatternData differenceData(const ShownMap& a, const ShownMap& b,
                                                  const analysis::TokenMatch& match, const QString& provenance);
/// Returns what every head reads from one token: one row per head.
[[nodiscard]] widgets::PatternData rowOfHeadsData(const std::shared_ptr<const app::RowOfHeads>& heads,
                                                  const ShownMap& tokens, const QString& side,
                                                  const QString& provenance);
/// Returns a small map as a picture of `side` pixels, in the scale of the large ones; transparent without cells.
[[nodiscard]] QImage previewImage(const app::PatternPreview& preview, const widgets::ScaleOptions& scale, int side,
                                  bool isSigned = false);

} // namespace headscope::gui
