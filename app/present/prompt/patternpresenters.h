// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From the worker's maps to what the pattern views show. Pure functions; GUI thread.

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

/// A map and the model it is of.
struct ShownMap {
    const app::PatternReply& reply;
    const app::ModelSummary& model;
};

/// What the worker is asked for; views that need several maps are made from plain ones.
[[nodiscard]] app::PatternRequest patternRequest(const SideState& side, widgets::PatternShown shown,
                                                 analysis::MatrixConvention convention);
/// The row that is looked at: the locked one, else the last; -1 without a map.
[[nodiscard]] int shownRow(const SideState& side);
/// A map whose rows sum to 1 is shared, not copied. Of others the share of each row is shown, |M| over the row's sum of
/// |M|, so that both kinds of heads read in one scale; `isSigned` keeps the signs.
[[nodiscard]] widgets::PatternData patternData(const std::shared_ptr<const app::PatternReply>& reply,
                                               const app::ModelSummary& model, const QString& side,
                                               const QString& provenance, bool isSigned = false);
/// Rows of a pooled map as they are in the map that patternData() made.
[[nodiscard]] std::shared_ptr<const Matrix>
exactRows(const app::PatternReply& shown, const std::shared_ptr<const app::PatternRows>& rows, bool isSigned = false);
/// Row `row` of the map; `values` are that row's cells, one a token.
[[nodiscard]] widgets::RowProfile rowProfile(const app::PatternReply& reply, const app::ModelSummary& model, int row,
                                             std::span<const float> values, bool isSigned = false);
/// A minus B on the tokens of A; neither is pooled. Where one of them is signed, the rows of both are divided by the
/// sum of their absolute values first, and the title says so.
[[nodiscard]] widgets::PatternData differenceData(const ShownMap& a, const ShownMap& b,
                                                  const analysis::TokenMatch& match, const QString& provenance);
/// What every head reads from one token: a row a head.
[[nodiscard]] widgets::PatternData rowOfHeadsData(const std::shared_ptr<const app::RowOfHeads>& heads,
                                                  const ShownMap& tokens, const QString& side,
                                                  const QString& provenance);
/// A small map as a picture of `side` pixels, in the scale of the large ones; clear where a map has no cells.
[[nodiscard]] QImage previewImage(const app::PatternPreview& preview, const widgets::ScaleOptions& scale, int side,
                                  bool isSigned = false);

} // namespace headscope::gui
