// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/rowprofile.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

/// The first of 1, 2 or 5 times a power of ten that is not below `value`; 0 for 0.
double roundUp(double value)
{
    if (!(value > 0))
        return 0;
    const double decade = std::pow(10, std::floor(std::log10(value)));
    for (const double part : {1.0, 2.0, 5.0})
        if (part * decade >= value * (1 - 1e-6))
            return part * decade;
    return 10 * decade;
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
