// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A font cut down to some letters, so that an SVG can carry it. Pure function; GUI thread (it asks for a font).

#include <QByteArray>
#include <QFont>
#include <QString>

namespace headscope::widgets {

/// The outlines of `letters`, of a TrueType or a CFF font, as a file that browsers take; the same bytes each time.
/// Empty where the font has no outlines or does not allow embedding (OS/2 fsType of OpenType).
[[nodiscard]] QByteArray fontSubset(const QFont& font, const QString& letters);

} // namespace headscope::widgets
