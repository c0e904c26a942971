// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One row of a map and the numbers that describe it, as plain values. Any thread.

#include <QStringList>

#include <limits>
#include <vector>

namespace headscope::widgets {

/// The numbers are computed in core/analysis. NaN: not known, not printed.
struct RowProfile {
    QString head; ///< "L2H5"
    int row = 0;  ///< index of the looking token
    QStringList tokens;
    std::vector<float> values; ///< one a token: its share of the row, signed for SSM
    bool isChange = false;     ///< differences to a baseline instead, on an axis of their own
    double effectiveTokens = std::numeric_limits<double>::quiet_NaN();
    double entropy = std::numeric_limits<double>::quiet_NaN();    ///< nats
    double targetMass = std::numeric_limits<double>::quiet_NaN(); ///< on the token that holds the answer
    int targetToken = -1;
    double sinkMass = std::numeric_limits<double>::quiet_NaN();
};

struct ValueAxis {
    double low = 0;
    double high = 1;
};

/// An axis with round ends that holds all values of rows that stand beside each other: a diffuse row looks diffuse
/// beside a peaked one, and one that stands alone fills its picture.
[[nodiscard]] ValueAxis commonAxis(const std::vector<const RowProfile*>& rows);

} // namespace headscope::widgets
