// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A hash table from 64-bit keys to 64-bit values in one block of memory: merges and tries look up every symbol in it.

#include <cstdint>
#include <vector>

namespace headscope::text {

/// Filled once, then only read. The key 2^64-1 is not allowed.
class FlatMap
{
public:
    explicit FlatMap(std::size_t expected = 0)
    {
        std::size_t slots = 16;
        while (slots < 2 * expected)
            slots *= 2;
        m_slots.assign(slots, Slot{});
    }

    [[nodiscard]] const std::uint64_t* find(std::uint64_t key) const
    {
        for (std::size_t i = slotOf(key);; i = (i + 1) & (m_slots.size() - 1)) {
            if (m_slots[i].key == key)
                return &m_slots[i].value;
            if (m_slots[i].key == kFree)
                return nullptr;
        }
    }

    /// Sets a value, replacing that of an existing key.
    void set(std::uint64_t key, std::uint64_t value)
    {
        if (2 * (m_used + 1) > m_slots.size())
            grow();
        place(key, value);
    }

private:
    static constexpr std::uint64_t kFree = ~0ULL;
    struct Slot {
        std::uint64_t key = kFree;
        std::uint64_t value = 0;
    };

    [[nodiscard]] std::size_t slotOf(std::uint64_t key) const
    {
        key ^= key >> 32; // Murmur3's finalizer, two of its three rounds
        key *= 0xff51afd7ed558ccdULL;
        key ^= key >> 33;
        return key & (m_slots.size() - 1);
    }
    void place(std::uint64_t key, std::uint64_t value)
    {
        std::size_t i = slotOf(key);
        while (m_slots[i].key != kFree && m_slots[i].key != key)
            i = (i + 1) & (m_slots.size() - 1);
        m_used += m_slots[i].key == kFree ? 1 : 0;
        m_slots[i] = {key, value};
    }
    void grow()
    {
        std::vector<Slot> old(2 * m_slots.size());
        std::swap(old, m_slots);
        m_used = 0;
        for (const Slot& s : old) {
            if (s.key != kFree)
                place(s.key, s.value);
        }
    }

    std::vector<Slot> m_slots;
    std::size_t m_used = 0;
};

} // namespace headscope::text
