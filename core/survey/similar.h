// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads with similar behaviour: nearest by their survey statistics, within a model or between two. Any thread.

#include <span>
#include <string>
#include <vector>

namespace headscope::survey {

/// A head's characteristics as numbers between 0 and 1 with the same meaning for attention and SSM: shares, and the
/// distance profile. Equally many for all compared heads.
struct HeadTraits {
    std::string head;
    std::vector<double> values;
};

struct HeadMatch {
    std::size_t first = 0, second = 0; ///< indices into the two lists
    double distance = 0;               ///< root of the mean squared difference of the traits
    bool mutual = false;               ///< each is the other's nearest head
};

/// Returns for each head of `first` the nearest of `second`, smallest distance first. Ties go to the earlier one.
[[nodiscard]] std::vector<HeadMatch> nearestHeads(std::span<const HeadTraits> first,
                                                  std::span<const HeadTraits> second);
/// Returns the `count` heads nearest to one of the list, excluding itself.
[[nodiscard]] std::vector<HeadMatch> neighbours(std::span<const HeadTraits> heads, std::size_t of, std::size_t count);

} // namespace headscope::survey
