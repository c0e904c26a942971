// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Paints a plot at the size of an icon: marks without text. GUI thread.

#include "widgets/figures/plot.h"
#include "widgets/look/theme.h"

#include <QRectF>

class QPainter;

namespace headscope::widgets {

/// Paints dots by condition, lines or a grid in their colours, the chance level dotted, the paper's own results hollow.
/// The value axis is that of the large plot: shares from 0 to 1, other values from smallest to largest.
void paintThumbnail(QPainter& painter, const Plot& plot, const QRectF& box, const Theme& theme);

} // namespace headscope::widgets
