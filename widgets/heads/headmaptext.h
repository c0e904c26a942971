// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a cell of the head map says of its heads, in words. Any thread.

#include "widgets/heads/headmapmodel.h"

namespace headscope::widgets {

/// What is known of a cell's heads.
struct HeadCell {
    HeadSpan span;
    double value = 0; ///< NaN: not measured
    QString mark;     ///< "G", "A" or empty
    HeadTag tag;      ///< without letters: none
    double off = 0;   ///< part of the heads that are off, 0 to 1
    bool partly = false;
    QString name; ///< the person's own
    QString note; ///< how sure the value is
    QImage thumbnail;
};

[[nodiscard]] QString accessibleText(const HeadCell& cell, const HeadMetric& metric);
/// Html, with what came from files and people escaped.
[[nodiscard]] QString tooltip(const HeadCell& cell, const HeadRow& row, const HeadMetric& metric);

} // namespace headscope::widgets
