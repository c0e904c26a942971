// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The places in a collection of texts that are stored for a metric: where it is largest, and an even sample of all. The
// selection does not depend on the order of arrival. Any thread.

#include "core/survey/texts/textpacking.h"

#include <array>
#include <cstdint>
#include <vector>

namespace headscope::survey {

/// A token read by a row, and its share of |row|.
struct Read {
    std::uint32_t token = 0; ///< index in the window
    float share = 0;
    bool operator==(const Read&) const = default;
};
inline constexpr int kReads = 8;

/// A query position of a text.
struct Place {
    float value = 0;
    std::uint32_t piece = 0;          ///< index in the source
    std::uint32_t window = 0;         ///< index in the piece
    std::uint32_t position = 0;       ///< index in the window
    std::array<Read, kReads> reads{}; ///< largest entries of its row, largest first; a share of 0: none
    bool operator==(const Place&) const = default;
};

/// Returns a pseudo-random number that is the same for a position in every survey with the same seed.
[[nodiscard]] std::uint64_t drawOf(std::uint64_t seed, std::uint32_t piece, std::uint32_t window,
                                   std::uint32_t position);

/// Orders by larger value first, then by earlier position in the texts.
[[nodiscard]] bool before(const Place& a, const Place& b);

/// The k places of largest value; ties go to the earlier one in the texts.
class TopPlaces
{
public:
    explicit TopPlaces(int count = 0) : m_count(static_cast<std::size_t>(count)) {}
    /// Returns whether add() would keep it; its reads are ignored.
    [[nodiscard]] bool wants(const Place& place) const
    {
        if (m_places.size() < m_count)
            return true;
        return m_count > 0 && place.value >= m_places.back().value && before(place, m_places.back());
    }
    void add(const Place& place);
    void take(const TopPlaces& others);
    [[nodiscard]] const std::vector<Place>& places() const { return m_places; }

    void write(Packer& out) const;
    [[nodiscard]] bool read(Unpacker& in);
    bool operator==(const TopPlaces&) const = default;

private:
    std::size_t m_count;
    std::vector<Place> m_places; ///< best first
};

/// An even sample without replacement: the places with the smallest draws (bottom-k; Cohen and Kaplan 2007).
class SampledPlaces
{
public:
    explicit SampledPlaces(int count = 0) : m_count(static_cast<std::size_t>(count)) {}
    [[nodiscard]] bool wants(std::uint64_t draw) const
    {
        return m_count > 0 && (m_places.size() < m_count || draw < m_draws.back());
    }
    void add(const Place& place, std::uint64_t draw);
    void take(const SampledPlaces& others);
    [[nodiscard]] const std::vector<Place>& places() const { return m_places; }
    /// Returns `count` of them, from the smallest value to the largest at even ranks.
    [[nodiscard]] std::vector<Place> stratified(int count) const;

    void write(Packer& out) const;
    [[nodiscard]] bool read(Unpacker& in);
    bool operator==(const SampledPlaces&) const = default;

private:
    std::size_t m_count;
    std::vector<Place> m_places;        ///< in the order of draws
    std::vector<std::uint64_t> m_draws; ///< ascending
};

} // namespace headscope::survey
