// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The ways to put heads in order. Any thread.

namespace headscope::app {

/// Exact: every head removed in turn. Race: the first heads of that order, decided from fewer examples. Estimate:
/// gradients, all heads at once. Gather, Aggregate: what the heads look at.
enum class RankMethod { Exact, Race, Estimate, Gather, Aggregate };

/// "exact", "race", ...
[[nodiscard]] constexpr const char* name(RankMethod method)
{
    constexpr const char* kNames[] = {"exact", "race", "estimate", "gather", "aggregate"};
    return kNames[static_cast<int>(method)];
}

} // namespace headscope::app
