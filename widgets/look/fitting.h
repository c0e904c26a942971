// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is said in a place of a given width: fewer words before words that are cut. Pure functions; GUI thread for the
// fonts.

#include <QFontMetricsF>
#include <QStringList>

namespace headscope::widgets {

/// The first of these that has room; where none has, the last, ending in "…".
[[nodiscard]] QString fitting(const QStringList& forms, const QFontMetricsF& metrics, double room);

/// A text and the same without its last part, its last two …, down to the first.
[[nodiscard]] QStringList withoutLastParts(const QString& text, const QString& between);

/// As many whole parts of "1 · 2 · 3" as have room, the first ones; a first part alone that has none ends in "…".
[[nodiscard]] QString partsFitting(const QString& text, const QString& between, const QFontMetricsF& metrics,
                                   double room);

struct WrappedLines {
    QStringList lines;
    bool elided = false; ///< the last ends in "…"
};
/// At most that many lines of that width.
[[nodiscard]] WrappedLines wrapped(const QString& text, const QFont& font, double width, int lines);

/// Pixels for a text whose digits change: not every digit is as wide, and what is beside it must not move.
[[nodiscard]] int roomForDigits(QString text, const QFontMetricsF& metrics);

} // namespace headscope::widgets
