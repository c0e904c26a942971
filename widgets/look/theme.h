// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Colours that are not in QPalette, for light and dark windows. Pure functions; GUI thread.

#include "core/base/side.h"
#include "widgets/pattern/patterndata.h"

#include <QColor>
#include <QPalette>

class QWidget;

namespace headscope::widgets {

struct Theme {
    bool dark = false;
    QColor text, muted, faint; ///< body, secondary text, hairlines
    QColor line;               ///< border of a card
    QColor base, raised;       ///< page, and a slightly raised strip on it
    QColor sideA, sideB;       ///< blue and orange: lines and bars of A and B
    QColor hybrid;             ///< models with both kinds of layers
    QColor good, bad;          ///< unchanged, dropped
    QColor cross;              ///< the X of an ablated head
    QColor crosshair;
    QColor unused; ///< map cells without a value
};

/// Returns the light or dark theme, by the window and text colours of the palette.
[[nodiscard]] Theme themeOf(const QPalette& palette);
[[nodiscard]] QColor sideColor(const Theme& theme, Side side);
/// Returns the background of text in that colour, for a tag.
[[nodiscard]] QColor sideGround(const Theme& theme, Side side);
/// Returns the same for text of any colour.
[[nodiscard]] QColor tagGround(const Theme& theme, const QColor& ink);
/// Returns a colour-blind safe colour (Okabe and Ito, "Color Universal Design", 2008, adapted), equal in both themes.
[[nodiscard]] QColor roleColor(Role role);

/// The two palettes of windows and figures: white cards on a grey background, and the dark equivalent.
[[nodiscard]] QPalette lightPalette();
[[nodiscard]] QPalette darkPalette();

/// Fills the background of `widget` with the colour of cards.
void makePage(QWidget* widget);
/// Returns `a` moved towards `b` by t in [0, 1].
[[nodiscard]] QColor mixed(const QColor& a, const QColor& b, double t);

/// Draws `widget` in the secondary text colour, and follows later palette changes.
void setMuted(QWidget* widget);
/// The same with any colour.
void setInk(QWidget* widget, const QColor& color);

} // namespace headscope::widgets
