// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fits text into a given width: a shorter wording is preferred to elided text. Pure functions; GUI thread for the
// fonts.

#include <QFontMetricsF>
#include <QStringList>

namespace headscope::widgets {

/// Returns the first form that fits; if none does, the last one, elided with "…".
[[nodiscard]] QString fitting(const QStringList& forms, const QFontMetricsF& metrics, double room);

/// Returns the text, then the text without its last part, without its last two …, down to the first.
[[nodiscard]] QStringList withoutLastParts(const QString& text, const QString& between);

/// Returns as many leading parts of "1 · 2 · 3" as fit; if not even the first one does, it is elided with "…".
[[nodiscard]] QString partsFitting(const QString& text, const QString& between, const QFontMetricsF& metrics,
                                   double room);

struct WrappedLines {
    QStringList lines;
    bool elided = false; ///< the last ends in "…"
};
/// Wraps a text to at most `lines` lines of this width.
[[nodiscard]] WrappedLines wrapped(const QString& text, const QFont& font, double width, int lines);

/// Returns the width in pixels for a text with changing digits: digits differ in width, and neighbours must not move.
[[nodiscard]] int roomForDigits(QString text, const QFontMetricsF& metrics);

} // namespace headscope::widgets
