// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Remembers how a model tokenized short words; bounded. Used by one encode call at a time, on that call's thread.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace headscope::text {

/// One token of a word: the id and the bytes [begin, end) of the word.
struct WordToken {
    int id;
    std::uint32_t begin;
    std::uint32_t end;
};

class WordCache
{
public:
    static constexpr std::size_t kLongestWord = 128; ///< longer words are not cached

    [[nodiscard]] std::optional<std::span<const WordToken>> find(std::string_view word) const;
    /// Adds a word that is not in the cache. Clears the cache first if it is full.
    void insert(std::string_view word, std::span<const WordToken> tokens);

private:
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t text = 0;
        std::uint32_t length = 0; ///< 0: free
        std::uint32_t tokens = 0;
        std::uint32_t count = 0;
    };
    [[nodiscard]] std::size_t probe(std::uint64_t hash, std::string_view word) const;

    std::vector<Slot> m_slots;
    std::vector<char> m_text;
    std::vector<WordToken> m_tokens;
    std::size_t m_used = 0;
};

} // namespace headscope::text
