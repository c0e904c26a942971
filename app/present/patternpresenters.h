// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From the worker's maps to what the pattern views show. Pure functions; GUI thread.

#include "app/state/sidestate.h"
#include "core/analysis/tokenmatch.h"
#include "widgets/pattern/patterndata.h"
#include "widgets/pattern/patternpage.h"
#include "widgets/pattern/patternscale.h"
#include "widgets/pattern/rowprofile.h"

#include <QImage>
#include <QPalette>

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
                                                 const widgets::SsmConvention& convention);
/// The row that is looked at: the locked one, else the last; -1 without a map.
[[nodiscard]] int shownRow(const SideState& side);
/// The map itself is shared, not copied.
[[nodiscard]] widgets::PatternData patternData(const std::shared_ptr<const app::PatternReply>& reply,
                                               const app::ModelSummary& model, const QString& side,
                                               const QString& provenance);
/// Row `row` of the map; `values` are that row's cells, one a token.
[[nodiscard]] widgets::RowProfile rowProfile(const app::PatternReply& reply, const app::ModelSummary& model, int row,
                                             std::span<const float> values);
/// A minus B on the tokens of A; neither is pooled. Where one of them is signed, the rows of both are divided by the
/// sum of their absolute values first, and the title says so.
[[nodiscard]] widgets::PatternData differenceData(const ShownMap& a, const ShownMap& b,
                                                  const analysis::TokenMatch& match, const QString& provenance);
/// What every head reads from one token: a row a head.
[[nodiscard]] widgets::PatternData rowOfHeadsData(const std::shared_ptr<const app::RowOfHeads>& heads,
                                                  const ShownMap& tokens, const QString& side,
                                                  const QString& provenance);
/// A small map as a picture of `side` pixels, in the scale of the large ones.
[[nodiscard]] QImage previewImage(const app::PatternPreview& preview, const widgets::ScaleOptions& scale,
                                  const QPalette& palette, int side);

} // namespace headscope::gui
