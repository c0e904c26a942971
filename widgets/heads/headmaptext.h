// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Describes the heads of a head map cell in words. Any thread.

#include "widgets/heads/headmapmodel.h"

namespace headscope::widgets {

/// The data shown for the heads of a cell.
struct HeadCell {
    HeadSpan span;
    double value = 0; ///< NaN: not measured
    QString mark;     ///< "G", "A" or empty
    HeadTag tag;      ///< without letters: no tag
    double off = 0;   ///< fraction of the heads that are ablated, 0 to 1
    bool partly = false;
    QString name; ///< given by the user
    QString note; ///< uncertainty of the value
    QImage thumbnail;
};

[[nodiscard]] QString accessibleText(const HeadCell& cell, const HeadMetric& metric);
/// Returns HTML in which text from files and users is escaped.
[[nodiscard]] QString tooltip(const HeadCell& cell, const HeadRow& row, const HeadMetric& metric);

} // namespace headscope::widgets
