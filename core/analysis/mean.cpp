// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/mean.h"

#include <numeric>
#include <vector>

namespace headscope::analysis {

Mean meanOf(std::span<const double> values)
{
    if (values.empty())
        return {};
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    Mean mean{sum / static_cast<double>(values.size())};
    const std::vector<double> zeros(values.size(), 0.0);
    if (const auto test = pairedT(zeros, values); test.has_value() && test->interval.known())
        mean.interval = test->interval;
    return mean;
}

} // namespace headscope::analysis
