// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The line above a map: the head, what the numbers are, and at its end what is known of the head. GUI thread.

#include "widgets/look/theme.h"

#include <QFont>
#include <QRectF>
#include <QStringList>

class QPainter;

namespace headscope::widgets {

struct PatternHeading {
    QString head;    ///< "L2H5"
    QString meaning; ///< "softmax attention (rows sum to 1)"
    QStringList tag; ///< of the head, the longest form first; empty: nothing is known, or not to be reported
    Side side = Side::A;

    /// The longest form that leaves what the numbers are whole in so much room; empty where none is worth it.
    [[nodiscard]] QString tagIn(double room, const QFont& font) const;
    void paint(QPainter& painter, const QRectF& box, const Theme& theme) const;
};

/// A badge with words in it.
struct Pill {
    QString words;
    QPen edge;
    QColor ground;
    QPen ink;
};
void paintPill(QPainter& painter, const QRectF& box, const Pill& pill);

} // namespace headscope::widgets
