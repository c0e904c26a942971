// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The methods of ranking heads. Any thread.

namespace headscope::app {

/// Exact: every head removed in turn. Race: the first heads of that order, decided from fewer examples. Estimate:
/// gradients, all heads at once. Gather, Aggregate: by attention pattern.
enum class RankMethod { Exact, Race, Estimate, Gather, Aggregate };

/// Returns "exact", "race", ...
[[nodiscard]] constexpr const char* name(RankMethod method)
{
    constexpr const char* kNames[] = {"exact", "race", "estimate", "gather", "aggregate"};
    return kNames[static_cast<int>(method)];
}

} // namespace headscope::app
