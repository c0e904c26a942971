// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Identifies one of two models compared side by side. Any thread.

#include <cstddef>

namespace headscope {

enum class Side { A, B };

inline constexpr Side kSides[] = {Side::A, Side::B};

[[nodiscard]] constexpr Side otherSide(Side side)
{
    return side == Side::A ? Side::B : Side::A;
}

/// Returns the index of a side in an array of two.
[[nodiscard]] constexpr std::size_t indexOf(Side side)
{
    return side == Side::A ? 0 : 1;
}

} // namespace headscope
