// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/survey/similar.h"

#include <algorithm>
#include <cmath>

namespace headscope::survey {

namespace {

double distanceOf(const HeadTraits& a, const HeadTraits& b)
{
    double sum = 0;
    const std::size_t count = std::min(a.values.size(), b.values.size());
    for (std::size_t i = 0; i < count; ++i)
        sum += (a.values[i] - b.values[i]) * (a.values[i] - b.values[i]);
    return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
}

// The index of the head of `among` that is nearest to `head`.
std::size_t nearest(const HeadTraits& head, std::span<const HeadTraits> among)
{
    std::size_t best = 0;
    for (std::size_t i = 1; i < among.size(); ++i)
        if (distanceOf(head, among[i]) < distanceOf(head, among[best]))
            best = i;
    return best;
}

void nearestFirst(std::vector<HeadMatch>& matches)
{
    std::stable_sort(matches.begin(), matches.end(),
                     [](const HeadMatch& a, const HeadMatch& b) { return a.distance < b.distance; });
}

} // namespace

std::vector<HeadMatch> nearestHeads(std::span<const HeadTraits> first, std::span<const HeadTraits> second)
{
    std::vector<HeadMatch> matches;
    if (second.empty())
        return matches;
    for (std::size_t i = 0; i < first.size(); ++i) {
        const std::size_t best = nearest(first[i], second);
        matches.push_back({i, best, distanceOf(first[i], second[best]), nearest(second[best], first) == i});
    }
    nearestFirst(matches);
    return matches;
}

std::vector<HeadMatch> neighbours(std::span<const HeadTraits> heads, std::size_t of, std::size_t count)
{
    std::vector<HeadMatch> matches;
    for (std::size_t i = 0; i < heads.size(); ++i)
        if (i != of)
            matches.push_back({of, i, distanceOf(heads[of], heads[i]), false});
    nearestFirst(matches);
    matches.resize(std::min(matches.size(), count));
    for (HeadMatch& match : matches) {
        const HeadTraits& other = heads[match.second];
        match.mutual = std::none_of(heads.begin(), heads.end(), [&](const HeadTraits& third) {
            return &third != &other && &third != &heads[of] && distanceOf(other, third) < match.distance;
        });
    }
    return matches;
}

} // namespace headscope::survey
