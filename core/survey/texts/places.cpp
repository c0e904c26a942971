// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/survey/texts/places.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace headscope::survey {

namespace {

void writePlace(Packer& out, const Place& place)
{
    out.add(place.value);
    out.add(place.piece);
    out.add(place.window);
    out.add(place.position);
    for (const Read& read : place.reads) {
        out.add(read.token);
        out.add(read.share);
    }
}

bool readPlace(Unpacker& in, Place& place)
{
    bool good = in.read(place.value) && in.read(place.piece) && in.read(place.window) && in.read(place.position);
    for (Read& read : place.reads)
        good = good && in.read(read.token) && in.read(read.share) && std::isfinite(read.share);
    return good && std::isfinite(place.value);
}

// splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

} // namespace

std::uint64_t drawOf(std::uint64_t seed, std::uint32_t piece, std::uint32_t window, std::uint32_t position)
{
    return mixed(mixed(mixed(mixed(seed) ^ piece) ^ window) ^ position);
}

bool before(const Place& a, const Place& b)
{
    return std::tuple(-a.value, a.piece, a.window, a.position) < std::tuple(-b.value, b.piece, b.window, b.position);
}

void TopPlaces::add(const Place& place)
{
    const auto at = std::lower_bound(m_places.begin(), m_places.end(), place, before);
    if (static_cast<std::size_t>(at - m_places.begin()) >= m_count)
        return;
    m_places.insert(at, place);
    m_places.resize(std::min(m_places.size(), m_count));
}

void TopPlaces::take(const TopPlaces& others)
{
    for (const Place& place : others.m_places)
        add(place);
}

void TopPlaces::write(Packer& out) const
{
    out.add(static_cast<std::uint32_t>(m_places.size()));
    for (const Place& place : m_places)
        writePlace(out, place);
}

bool TopPlaces::read(Unpacker& in)
{
    std::uint32_t count = 0;
    if (!in.read(count) || count > m_count)
        return false;
    m_places.resize(count);
    return std::all_of(m_places.begin(), m_places.end(), [&in](Place& place) { return readPlace(in, place); })
           && std::is_sorted(m_places.begin(), m_places.end(), before);
}

void SampledPlaces::add(const Place& place, std::uint64_t draw)
{
    const auto at = std::lower_bound(m_draws.begin(), m_draws.end(), draw) - m_draws.begin();
    if (static_cast<std::size_t>(at) >= m_count)
        return;
    m_draws.insert(m_draws.begin() + at, draw);
    m_places.insert(m_places.begin() + at, place);
    m_draws.resize(std::min(m_draws.size(), m_count));
    m_places.resize(m_draws.size());
}

void SampledPlaces::take(const SampledPlaces& others)
{
    for (std::size_t i = 0; i < others.m_places.size(); ++i)
        add(others.m_places[i], others.m_draws[i]);
}

std::vector<Place> SampledPlaces::stratified(int count) const
{
    std::vector<Place> all = m_places;
    std::sort(all.begin(), all.end(), [](const Place& a, const Place& b) { return before(b, a); });
    const auto wanted = static_cast<std::size_t>(std::max(count, 0));
    if (all.size() <= wanted)
        return all;
    std::vector<Place> chosen;
    for (std::size_t i = 0; i < wanted; ++i)
        chosen.push_back(all[(2 * i + 1) * all.size() / (2 * wanted)]);
    return chosen;
}

void SampledPlaces::write(Packer& out) const
{
    out.add(static_cast<std::uint32_t>(m_places.size()));
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        out.add(m_draws[i]);
        writePlace(out, m_places[i]);
    }
}

bool SampledPlaces::read(Unpacker& in)
{
    std::uint32_t count = 0;
    if (!in.read(count) || count > m_count)
        return false;
    m_places.resize(count);
    m_draws.resize(count);
    for (std::size_t i = 0; i < count; ++i)
        if (!in.read(m_draws[i]) || !readPlace(in, m_places[i]))
            return false;
    return std::is_sorted(m_draws.begin(), m_draws.end());
}

} // namespace headscope::survey
