// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Colours that are not in QPalette, for light and for dark windows. Pure functions; GUI thread.

#include "core/base/side.h"
#include "widgets/pattern/patterndata.h"

#include <QColor>
#include <QPalette>

class QWidget;

namespace headscope::widgets {

struct Theme {
    bool dark = false;
    QColor text, muted, faint; ///< body, secondary text, hairlines
    QColor line;               ///< edge of a card
    QColor base, raised;       ///< page, a slightly lifted strip on it
    QColor sideA, sideB;       ///< blue and orange: lines and bars of A and B
    QColor hybrid;             ///< of models that have both kinds of layers
    QColor good, bad;          ///< unchanged, dropped
    QColor cross;              ///< the X of a head that is off
    QColor crosshair;
    QColor unused; ///< cells of a map that have no meaning
};

/// Light or dark follows the palette's window and text colours.
[[nodiscard]] Theme themeOf(const QPalette& palette);
[[nodiscard]] QColor sideColor(const Theme& theme, Side side);
/// Behind words in that colour: a tag.
[[nodiscard]] QColor sideGround(const Theme& theme, Side side);
/// The same behind words in any colour.
[[nodiscard]] QColor tagGround(const Theme& theme, const QColor& ink);
/// Colour-blind safe (Okabe and Ito, "Color Universal Design", 2008, adapted): the same in both themes.
[[nodiscard]] QColor roleColor(Role role);

/// The two palettes of windows and figures: white cards on a grey ground, and the same in the dark.
[[nodiscard]] QPalette lightPalette();
[[nodiscard]] QPalette darkPalette();

/// Fills `widget` with the colour of cards.
void makePage(QWidget* widget);
/// `a` moved towards `b` by t in [0, 1].
[[nodiscard]] QColor mixed(const QColor& a, const QColor& b, double t);

/// `widget` drawn with the secondary text colour; call again when the palette changes.
void setMuted(QWidget* widget);
/// Same with any colour.
void setInk(QWidget* widget, const QColor& color);

} // namespace headscope::widgets
