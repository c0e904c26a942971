// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/survey/metric.h"

namespace headscope::survey {

std::optional<Metric> parseMetric(std::string_view text)
{
    for (int i = 0; i < kMetricCount; ++i)
        if (text == kMetricNames[static_cast<std::size_t>(i)])
            return static_cast<Metric>(i);
    return std::nullopt;
}

} // namespace headscope::survey
