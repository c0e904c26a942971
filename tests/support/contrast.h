// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How far two colours stand apart for eyes (Web Content Accessibility Guidelines 2.1, contrast ratio).

#include <QColor>

#include <algorithm>
#include <cmath>

namespace headscope::testing {

/// 0 black to 1 white.
[[nodiscard]] inline double luminance(const QColor& color)
{
    const auto linear = [](double value) {
        return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

/// 1 the same to 21 black on white.
[[nodiscard]] inline double contrast(const QColor& one, const QColor& two)
{
    const double a = luminance(one), b = luminance(two);
    return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

} // namespace headscope::testing
