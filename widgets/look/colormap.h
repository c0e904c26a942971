// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Perceptual, colour-blind safe colour maps as tables of 255 colours. Pure functions; any thread.

#include <QRgb>
#include <QString>

#include <array>
#include <cstdint>

namespace headscope::widgets {

enum class ColorMap {
    Viridis, ///< sequential (van der Walt and Smith, matplotlib 1.5; CC0)
    Cividis, ///< sequential, made for colour-blind readers (Nunez, Anderton and Renslow 2018, PLoS ONE 13:e0199239)
    BlueRed, ///< diverging blue, white, red
};

/// The colours of a map. Entry 0 is for cells without a value; entries 1 to 255 run from the low to the high end.
using ColorTable = std::array<QRgb, 256>;

/// Returns the colour at t in [0, 1]; t outside is clamped.
[[nodiscard]] QRgb colorAt(ColorMap map, double t);
/// Returns the whole map with `unused` as entry 0.
[[nodiscard]] ColorTable colorTable(ColorMap map, QRgb unused);
/// Converts t in [0, 1] to an entry of a ColorTable (1 to 255); NaN to 0.
[[nodiscard]] std::uint8_t colorIndex(double t);
/// Returns the translated name for combo boxes.
[[nodiscard]] QString colorMapName(ColorMap map);
/// Returns black or white, whichever has more contrast on `background` (WCAG 2.1 relative luminance).
[[nodiscard]] QRgb inkOn(QRgb background);

} // namespace headscope::widgets
