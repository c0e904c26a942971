// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A plot as small as an icon: its marks without letters. GUI thread.

#include "widgets/figures/plot.h"
#include "widgets/look/theme.h"

#include <QRectF>

class QPainter;

namespace headscope::widgets {

/// Dots by condition, lines or a grid in their colours, guessing dotted, the paper's own hollow. Values stand as in the
/// large picture: shares from 0 to 1, others from the least to the largest.
void paintThumbnail(QPainter& painter, const Plot& plot, const QRectF& box, const Theme& theme);

} // namespace headscope::widgets
