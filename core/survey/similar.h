// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which heads do the same: nearest by what a survey says of them, within a model or between two. Any thread.

#include <span>
#include <string>
#include <vector>

namespace headscope::survey {

/// What a head is like, in numbers that are between 0 and 1 and mean the same for attention and SSM: shares, and the
/// distance profile. As many for every head that is compared.
struct HeadTraits {
    std::string head;
    std::vector<double> values;
};

struct HeadMatch {
    std::size_t first = 0, second = 0; ///< indexes into the two lists
    double distance = 0;               ///< root of the mean squared difference of the traits
    bool mutual = false;               ///< each is the other's nearest
};

/// For each head of `first` the nearest of `second`, the smallest distance first. Of equally near ones the earlier.
[[nodiscard]] std::vector<HeadMatch> nearestHeads(std::span<const HeadTraits> first,
                                                  std::span<const HeadTraits> second);
/// The `count` heads nearest to one of the list, without itself.
[[nodiscard]] std::vector<HeadMatch> neighbours(std::span<const HeadTraits> heads, std::size_t of, std::size_t count);

} // namespace headscope::survey
