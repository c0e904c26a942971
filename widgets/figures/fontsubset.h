// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reduces a font to some letters, so that an SVG can embed it. Pure function; GUI thread (it queries a font).

#include <QByteArray>
#include <QFont>
#include <QString>

namespace headscope::widgets {

/// Returns the outlines of `letters` in a TrueType or CFF font as a font file for browsers; the same bytes each time.
/// Empty if the font has no outlines or does not allow embedding (OS/2 fsType of OpenType).
[[nodiscard]] QByteArray fontSubset(const QFont& font, const QString& letters);

} // namespace headscope::widgets
