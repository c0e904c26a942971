// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A TrueType font cut down to some letters, so that an SVG can carry it. Pure function; GUI thread (it asks for a
// font).

#include <QByteArray>
#include <QFont>
#include <QString>

namespace headscope::widgets {

/// The outlines of `letters` as a TrueType file that browsers take: glyphs keep their numbers, unused ones are empty.
/// Empty for fonts that are not TrueType, or that do not allow embedding (OS/2 fsType). Tables as in the OpenType
/// specification 1.9.
[[nodiscard]] QByteArray fontSubset(const QFont& font, const QString& letters);

} // namespace headscope::widgets
