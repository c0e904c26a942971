// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The line above a map: the head, the quantity shown, and at its end the role of the head. GUI thread.

#include "widgets/look/theme.h"

#include <QFont>
#include <QRectF>
#include <QStringList>

class QPainter;

namespace headscope::widgets {

struct PatternHeading {
    QString head;    ///< "L2H5"
    QString meaning; ///< "softmax attention (rows sum to 1)"
    QStringList tag; ///< role of the head, longest form first; empty: unknown or hidden
    Side side = Side::A;

    /// Returns the longest tag that leaves room for the meaning; empty if there is none.
    [[nodiscard]] QString tagIn(double room, const QFont& font) const;
    void paint(QPainter& painter, const QRectF& box, const Theme& theme) const;
};

/// A badge with text.
struct Pill {
    QString words;
    QPen edge;
    QColor ground;
    QPen ink;
};
void paintPill(QPainter& painter, const QRectF& box, const Pill& pill);

} // namespace headscope::widgets
