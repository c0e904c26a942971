// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/models/wordcache.h"

#include <functional>

namespace headscope::text {

namespace {

constexpr std::size_t kSlots = 1u << 16; // a power of two
constexpr std::size_t kMostWords = kSlots / 2;

std::uint64_t hashOf(std::string_view word)
{
    return std::hash<std::string_view>{}(word);
}

} // namespace

std::size_t WordCache::probe(std::uint64_t hash, std::string_view word) const
{
    std::size_t i = hash & (kSlots - 1);
    while (true) {
        const Slot& s = m_slots[i];
        if (s.length == 0)
            return i;
        if (s.hash == hash && std::string_view(m_text.data() + s.text, s.length) == word)
            return i;
        i = (i + 1) & (kSlots - 1);
    }
}

std::optional<std::span<const WordToken>> WordCache::find(std::string_view word) const
{
    if (m_slots.empty() || word.size() > kLongestWord)
        return std::nullopt;
    const Slot& s = m_slots[probe(hashOf(word), word)];
    if (s.length == 0)
        return std::nullopt;
    return std::span<const WordToken>(m_tokens.data() + s.tokens, s.count);
}

void WordCache::insert(std::string_view word, std::span<const WordToken> tokens)
{
    if (word.empty() || word.size() > kLongestWord)
        return;
    if (m_used == kMostWords || m_slots.empty()) {
        m_slots.assign(kSlots, Slot{});
        m_text.clear();
        m_tokens.clear();
        m_used = 0;
    }
    const std::uint64_t hash = hashOf(word);
    Slot& s = m_slots[probe(hash, word)];
    s = {hash, static_cast<std::uint32_t>(m_text.size()), static_cast<std::uint32_t>(word.size()),
         static_cast<std::uint32_t>(m_tokens.size()), static_cast<std::uint32_t>(tokens.size())};
    m_text.insert(m_text.end(), word.begin(), word.end());
    m_tokens.insert(m_tokens.end(), tokens.begin(), tokens.end());
    ++m_used;
}

} // namespace headscope::text
