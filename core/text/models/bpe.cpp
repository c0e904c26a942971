// SPDX-License-Identifier: GPL-3.0-or-later
// Byte-pair encoding: the pair of lowest rank is merged first, the leftmost among equals.
#include "core/text/models/tokenizermodels.h"

#include "core/text/models/bytealphabet.h"
#include "core/text/models/flatmap.h"
#include "core/text/unicode/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <queue>

namespace headscope::text {

namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81"; // U+2581
constexpr std::size_t kScanLimit = 32; ///< words of at most so many symbols are merged by plain scanning

std::uint64_t pairKey(int left, int right)
{
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}

struct Symbol {
    int id;
    std::uint32_t length; ///< bytes of the word; 0: merged away
    int previous;
    int next;
};

struct PlannedMerge {
    std::uint32_t rank;
    int position;
    int result;
    bool operator>(const PlannedMerge& other) const
    {
        return rank != other.rank ? rank > other.rank : position > other.position;
    }
};

class Bpe final : public Model
{
public:
    Bpe(Vocabulary vocabulary, BpeOptions options, FlatMap merges, bool splitsAtSpaceMark)
        : m_vocabulary(std::move(vocabulary)), m_options(std::move(options)), m_merges(std::move(merges)),
          m_byteTokens(byteTokens(m_vocabulary)), m_splitsAtSpaceMark(splitsAtSpaceMark)
    {
        if (m_options.unknown)
            m_unknownId = m_vocabulary.idOf(*m_options.unknown);
        const bool plain = m_options.continuingPrefix.empty() && m_options.endOfWordSuffix.empty();
        m_spellsBytes = plain;
        for (std::size_t b = 0; b < 256; ++b) {
            m_alphabet[b] = m_vocabulary.idOf(byteAlphabet()[b]).value_or(-1);
            m_spellsBytes = m_spellsBytes && m_alphabet[b] >= 0;
        }
    }

    Result<void> tokenize(std::string_view word, bool byteLevel, WordCache& cache,
                          std::vector<WordToken>& out) const override
    {
        if (!m_splitsAtSpaceMark || byteLevel)
            return cached(word, byteLevel, cache, 0, out);
        // No merge crosses from another character to a space mark: the stretches between can be merged one by one.
        std::size_t begin = 0;
        while (begin < word.size()) {
            std::size_t end = begin;
            while (word.substr(end).starts_with(kSpaceMark))
                end += kSpaceMark.size();
            end = std::min(word.find(kSpaceMark, end), word.size());
            if (Result<void> done = cached(word.substr(begin, end - begin), false, cache, begin, out);
                !done.has_value())
                return done;
            begin = end;
        }
        return {};
    }
    const Vocabulary& vocabulary() const override { return m_vocabulary; }
    bool spellsBytes() const override { return m_spellsBytes; }

private:
    Result<void> cached(std::string_view word, bool byteLevel, WordCache& cache, std::size_t at,
                        std::vector<WordToken>& out) const
    {
        const auto shift = static_cast<std::uint32_t>(at);
        if (const auto known = cache.find(word)) {
            for (const WordToken& t : *known)
                out.push_back({t.id, t.begin + shift, t.end + shift});
            return {};
        }
        const std::size_t first = out.size();
        if (Result<void> done = tokenizeNew(word, byteLevel, out); !done.has_value())
            return done;
        cache.insert(word, std::span(out).subspan(first));
        for (std::size_t i = first; i < out.size() && shift != 0; ++i) {
            out[i].begin += shift;
            out[i].end += shift;
        }
        return {};
    }

    Result<void> tokenizeNew(std::string_view word, bool byteLevel, std::vector<WordToken>& out) const
    {
        if (m_options.ignoreMerges) {
            if (const auto id = byteLevel ? m_vocabulary.idOf(toByteLevel(word)) : m_vocabulary.idOf(word)) {
                out.push_back({*id, 0, static_cast<std::uint32_t>(word.size())});
                return {};
            }
        }
        std::vector<Symbol> symbols;
        symbols.reserve(word.size());
        if (byteLevel) {
            for (const char c : word)
                symbols.push_back({m_alphabet[static_cast<unsigned char>(c)], 1, 0, 0});
        } else if (Result<void> done = spell(word, symbols); !done.has_value()) {
            return done;
        }
        if (symbols.size() <= kScanLimit)
            mergeByScanning(symbols);
        else
            mergeByQueue(symbols);
        std::uint32_t at = 0;
        for (const Symbol& s : symbols) {
            if (s.length == 0)
                continue;
            out.push_back({s.id, at, at + s.length});
            at += s.length;
        }
        return {};
    }

    /// The word's characters as tokens. A pending unknown waits until the next known character, even behind the byte
    /// tokens in between, as in the reference.
    Result<void> spell(std::string_view word, std::vector<Symbol>& symbols) const
    {
        std::uint32_t pending = 0; // bytes of the unknown that waits
        const auto flush = [&] {
            if (pending > 0)
                symbols.push_back({*m_unknownId, pending, 0, 0});
            pending = 0;
        };
        std::string spelled;
        for (std::size_t i = 0; i < word.size();) {
            const std::size_t begin = i;
            i += utf8Length(static_cast<unsigned char>(word[i]));
            const auto length = static_cast<std::uint32_t>(i - begin);
            std::string_view s = word.substr(begin, length);
            const bool prefixed = begin > 0 && !m_options.continuingPrefix.empty();
            const bool suffixed = i == word.size() && !m_options.endOfWordSuffix.empty();
            if (prefixed || suffixed) {
                spelled = prefixed ? m_options.continuingPrefix : std::string();
                spelled.append(s);
                if (suffixed)
                    spelled += m_options.endOfWordSuffix;
                s = spelled;
            }
            if (const auto id = m_vocabulary.idOf(s)) {
                flush();
                symbols.push_back({*id, length, 0, 0});
                continue;
            }
            if (m_options.byteFallback && hasBytes(s)) {
                for (const char c : s)
                    symbols.push_back({m_byteTokens[static_cast<unsigned char>(c)], 1, 0, 0});
                continue;
            }
            if (!m_options.unknown)
                continue;
            if (!m_unknownId)
                return inputError(
                    fmt::format("The character '{}' is not in the vocabulary, and neither is the unknown token '{}'.",
                                s, *m_options.unknown));
            if (!m_options.fuseUnknown)
                flush();
            pending += length;
        }
        flush();
        return {};
    }
    bool hasBytes(std::string_view s) const
    {
        return std::all_of(s.begin(), s.end(),
                           [&](char c) { return m_byteTokens[static_cast<unsigned char>(c)] >= 0; });
    }

    void mergeByScanning(std::vector<Symbol>& symbols) const
    {
        // ranks[i]: of the pair (i, i + 1), with the result in the low half; ~0 where nothing merges
        std::array<std::uint64_t, kScanLimit> merges{};
        const auto merge = [&](std::size_t i) {
            const std::uint64_t* m = m_merges.find(pairKey(symbols[i].id, symbols[i + 1].id));
            return m != nullptr ? *m : ~0ULL;
        };
        std::size_t n = symbols.size();
        for (std::size_t i = 0; i + 1 < n; ++i)
            merges[i] = merge(i);
        while (n > 1) {
            std::size_t best = 0;
            for (std::size_t i = 1; i + 1 < n; ++i) {
                if (merges[i] >> 32 < merges[best] >> 32)
                    best = i;
            }
            if (merges[best] == ~0ULL)
                break;
            symbols[best].id = static_cast<int>(static_cast<std::uint32_t>(merges[best]));
            symbols[best].length += symbols[best + 1].length;
            symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
            --n;
            for (std::size_t i = best; i + 1 < n; ++i)
                merges[i] = i == best ? merge(i) : merges[i + 1];
            if (best > 0)
                merges[best - 1] = merge(best - 1);
        }
    }

    void mergeByQueue(std::vector<Symbol>& symbols) const
    {
        std::vector<PlannedMerge> initial;
        const auto candidate = [&](int left, int right, std::vector<PlannedMerge>& to) {
            const auto l = static_cast<std::size_t>(left);
            const auto r = static_cast<std::size_t>(right);
            if (const std::uint64_t* m = m_merges.find(pairKey(symbols[l].id, symbols[r].id)); m != nullptr)
                to.push_back(
                    {static_cast<std::uint32_t>(*m >> 32), left, static_cast<int>(static_cast<std::uint32_t>(*m))});
        };
        const int n = static_cast<int>(symbols.size());
        for (int i = 0; i < n; ++i) {
            symbols[static_cast<std::size_t>(i)].previous = i - 1;
            symbols[static_cast<std::size_t>(i)].next = i + 1 < n ? i + 1 : -1;
            if (i + 1 < n)
                candidate(i, i + 1, initial);
        }
        std::priority_queue<PlannedMerge, std::vector<PlannedMerge>, std::greater<>> queue(std::greater<>(),
                                                                                           std::move(initial));
        std::vector<PlannedMerge> fresh;
        while (!queue.empty()) {
            const PlannedMerge top = queue.top();
            queue.pop();
            Symbol& left = symbols[static_cast<std::size_t>(top.position)];
            if (left.length == 0 || left.next < 0)
                continue;
            Symbol& right = symbols[static_cast<std::size_t>(left.next)];
            const std::uint64_t* now = m_merges.find(pairKey(left.id, right.id));
            if (now == nullptr || static_cast<int>(static_cast<std::uint32_t>(*now)) != top.result)
                continue; // the symbols have changed since the candidate was noted
            left.id = top.result;
            left.length += right.length;
            right.length = 0;
            left.next = right.next;
            if (left.next >= 0)
                symbols[static_cast<std::size_t>(left.next)].previous = top.position;
            fresh.clear();
            if (left.previous >= 0)
                candidate(left.previous, top.position, fresh);
            if (left.next >= 0)
                candidate(top.position, left.next, fresh);
            for (const PlannedMerge& c : fresh)
                queue.push(c);
        }
    }

    Vocabulary m_vocabulary;
    BpeOptions m_options;
    FlatMap m_merges; ///< pair of ids to rank (high half) and result (low half)
    std::vector<int> m_byteTokens;
    std::array<int, 256> m_alphabet{};
    std::optional<int> m_unknownId;
    bool m_splitsAtSpaceMark;
    bool m_spellsBytes = false;
};

/// Whether a space mark follows another character somewhere inside `token`.
bool crossesToSpaceMark(std::string_view token)
{
    for (std::size_t at = token.find(kSpaceMark, 1); at != token.npos; at = token.find(kSpaceMark, at + 1)) {
        if (at < kSpaceMark.size() || token.substr(at - kSpaceMark.size(), kSpaceMark.size()) != kSpaceMark)
            return true;
    }
    return false;
}

} // namespace

std::vector<int> byteTokens(const Vocabulary& vocabulary)
{
    std::vector<int> ids(256, -1);
    for (unsigned b = 0; b < 256; ++b)
        ids[b] = vocabulary.idOf(fmt::format("<0x{:02X}>", b)).value_or(-1);
    return ids;
}

Result<ModelPtr> makeBpe(Vocabulary vocabulary, const std::vector<std::pair<std::string, std::string>>& merges,
                         BpeOptions options)
{
    FlatMap table(merges.size());
    const std::size_t prefix = options.continuingPrefix.size();
    bool splits = options.continuingPrefix.empty() && options.endOfWordSuffix.empty() && !options.ignoreMerges
                  && vocabulary.idOf(kSpaceMark).has_value();
    std::string joined;
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
        const auto& [left, right] = merges[rank];
        const std::optional<int> leftId = vocabulary.idOf(left);
        const std::optional<int> rightId = vocabulary.idOf(right);
        if (right.size() < prefix)
            return inputError(
                fmt::format("Merge {} ('{}' and '{}') has a right part shorter than the continuing prefix '{}'.", rank,
                            left, right, options.continuingPrefix));
        joined.assign(left).append(right, prefix);
        const std::optional<int> result = vocabulary.idOf(joined);
        if (!leftId || !rightId || !result)
            return inputError(fmt::format(
                "Merge {} ('{}' and '{}') needs the token '{}', which is not in the vocabulary.", rank, left, right,
                !leftId    ? left
                : !rightId ? right
                           : joined));
        table.set(pairKey(*leftId, *rightId),
                  static_cast<std::uint64_t>(rank) << 32 | static_cast<std::uint32_t>(*result));
        splits = splits && !crossesToSpaceMark(joined);
    }
    return ModelPtr(std::make_unique<Bpe>(std::move(vocabulary), std::move(options), std::move(table), splits));
}

} // namespace headscope::text
