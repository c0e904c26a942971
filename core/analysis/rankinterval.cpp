// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/rankinterval.h"

#include <cmath>

namespace headscope::analysis {

std::optional<Interval> rankInterval(const Correlation& correlation)
{
    const double rho = correlation.rho;
    if (correlation.n < 5 || std::abs(rho) >= 1)
        return std::nullopt;
    const double error = 1.959963984540054 * std::sqrt((1 + rho * rho / 2) / static_cast<double>(correlation.n - 3));
    return Interval{std::tanh(std::atanh(rho) - error), std::tanh(std::atanh(rho) + error)};
}

} // namespace headscope::analysis
