// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// p-values of several simultaneous tests. Pure functions; any thread.

#include <span>
#include <vector>

namespace headscope::analysis {

/// Corrects for the chance that any of them is below the level by accident, whatever the dependence among the tests
/// (Holm 1979, Scandinavian J. Statistics 6:65). In the order given; each is in [0, 1] and at least the one given.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

/// Corrects for the share of false positives among the significant ones (Benjamini and Hochberg 1995, J. Royal
/// Statistical Society B 57:289; independent or positively dependent tests). In the order given.
[[nodiscard]] std::vector<double> benjaminiHochberg(std::span<const double> p);

} // namespace headscope::analysis
