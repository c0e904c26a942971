// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The places in a collection of texts that are kept of a metric: where it is largest, and an even sample of all. Which
// ones does not depend on the order in which they come. Any thread.

#include "core/survey/texts/textpacking.h"

#include <array>
#include <cstdint>
#include <vector>

namespace headscope::survey {

/// A token that a row reads, and how much of |row| lies on it.
struct Read {
    std::uint32_t token = 0; ///< of the window
    float share = 0;
    bool operator==(const Read&) const = default;
};
inline constexpr int kReads = 8;

/// A query position of a text.
struct Place {
    float value = 0;
    std::uint32_t piece = 0;          ///< of the source
    std::uint32_t window = 0;         ///< of the piece
    std::uint32_t position = 0;       ///< of the window
    std::array<Read, kReads> reads{}; ///< the largest of its row, largest first; a share of 0: none
    bool operator==(const Place&) const = default;
};

/// A number that is the same for a position in every survey with the same seed, and looks random.
[[nodiscard]] std::uint64_t drawOf(std::uint64_t seed, std::uint32_t piece, std::uint32_t window,
                                   std::uint32_t position);

/// The larger value first; of equal ones the earlier in the texts.
[[nodiscard]] bool before(const Place& a, const Place& b);

/// The k places of largest value; of equal ones the earlier in the texts.
class TopPlaces
{
public:
    explicit TopPlaces(int count = 0) : m_count(static_cast<std::size_t>(count)) {}
    /// Whether add() would keep it; its reads play no part.
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

/// An even sample without replacement: the places of the smallest draws (bottom-k; Cohen and Kaplan 2007).
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
    /// As many of them, by value from the smallest to the largest at even ranks.
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
