// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/rowprofile.h"

#include "widgets/look/numbertext.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

// The next round number; a sum of shares may be a little more than 1.
double roundUp(double value)
{
    return value > 0 ? niceStep(value * (1 - 1e-6), 1) : 0;
}

} // namespace

ValueAxis commonAxis(const std::vector<const RowProfile*>& rows)
{
    double low = 0, high = 0;
    for (const RowProfile* row : rows)
        for (const float value : row->values)
            if (std::isfinite(value)) {
                low = std::min(low, static_cast<double>(value));
                high = std::max(high, static_cast<double>(value));
            }
    const ValueAxis axis{-roundUp(-low), roundUp(high)};
    return axis.high > axis.low ? axis : ValueAxis{0, 1};
}

} // namespace headscope::widgets
