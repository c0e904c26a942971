// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Sketches of the subjects of tours: illustrations, not measurements. Pure functions; GUI thread for the fonts.

#include <QRectF>

class QPainter;

namespace headscope::widgets {

struct Theme;

enum class OfferPicture {
    None,
    Heads,  ///< a map of heads, one of them ablated
    Maps,   ///< a peaked and a diffuse pattern
    Curves, ///< one score that drops, one that stays
    Graph,  ///< heads that feed each other
    Words,  ///< a dictionary
};

void paintOffer(QPainter& painter, const QRectF& box, OfferPicture picture, const Theme& theme);

} // namespace headscope::widgets
