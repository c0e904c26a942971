// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a tour is about, as a sketch: drawn, not measured. Pure functions; GUI thread for the fonts.

#include <QRectF>

class QPainter;

namespace headscope::widgets {

struct Theme;

enum class OfferPicture {
    None,
    Heads,  ///< a map of heads, one of them off
    Maps,   ///< a peaked and a diffuse pattern
    Curves, ///< a score that falls, one that stays
    Graph,  ///< heads that feed each other
    Words,  ///< a dictionary
};

void paintOffer(QPainter& painter, const QRectF& box, OfferPicture picture, const Theme& theme);

} // namespace headscope::widgets
