// SPDX-License-Identifier: GPL-3.0-or-later
// SentencePiece's compiled character map (T5, mT5, XLM-R): a double-array trie from strings to places in a table of
// texts. What the reference finds is found: the shortest entry that the chunk begins with stands for all of it.
#include "core/text/steps/normalizers.h"
#include "core/text/unicode/utf8.h"

#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include <cstring>

namespace headscope::text {

namespace {

constexpr std::size_t kLongestGrapheme = 5; // longer ones are looked up character by character

std::optional<std::string> fromBase64(std::string_view text)
{
    std::string out;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text.substr(0, text.find('='))) {
        const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                          : c >= 'a' && c <= 'z' ? c - 'a' + 26
                          : c >= '0' && c <= '9' ? c - '0' + 52
                          : c == '+'             ? 62
                          : c == '/'             ? 63
                                                 : -1;
        if (value < 0)
            return {};
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        held += 6;
        if (held >= 8) {
            held -= 8;
            out.push_back(static_cast<char>(bits >> held & 0xff));
        }
    }
    return out;
}

class CharacterTrie
{
public:
    explicit CharacterTrie(std::vector<std::uint32_t> units) : m_units(std::move(units)) {}
    /// The value of the shortest key that `text` begins with.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view text) const
    {
        std::size_t place = 0;
        const auto step = [&](std::size_t by) { // false: outside
            place ^= by;
            return place < m_units.size();
        };
        if (m_units.empty() || !step(offset(m_units[0])))
            return {};
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte == 0 || !step(byte))
                return {};
            const std::uint32_t unit = m_units[place];
            if ((unit & 0x800000ffU) != byte || !step(offset(unit)))
                return {};
            if ((unit >> 8 & 1) != 0)
                return m_units[place] & 0x7fffffffU;
        }
        return {};
    }

private:
    static std::size_t offset(std::uint32_t unit) { return std::size_t{unit >> 10} << ((unit & (1U << 9)) >> 6); }
    std::vector<std::uint32_t> m_units;
};

class PrecompiledNormalizer : public Normalizer
{
public:
    PrecompiledNormalizer(CharacterTrie trie, std::string texts) : m_trie(std::move(trie)), m_texts(std::move(texts)) {}

    [[nodiscard]] Result<Piece> normalize(const Piece& piece, Arena& arena) const override
    {
        std::vector<Rewritten> out;
        out.reserve(piece.text.size());
        bool changed = false;
        for (const auto& [begin, end] : graphemes(piece.text)) {
            const std::string_view grapheme = piece.text.substr(begin, end - begin);
            const auto whole =
                grapheme.size() <= kLongestGrapheme ? replacement(grapheme) : std::optional<std::string_view>();
            if (whole) {
                replace(out, grapheme, *whole);
                changed = true;
                continue;
            }
            for (std::size_t i = 0; i < grapheme.size();) {
                const std::size_t from = i;
                const char32_t c = nextCharacter(grapheme, i);
                const std::string_view one = grapheme.substr(from, i - from);
                if (const auto text = replacement(one)) {
                    replace(out, one, *text);
                    changed = true;
                } else {
                    out.push_back({c, 0});
                }
            }
        }
        return changed ? rewrite(piece, out, 0, arena) : piece;
    }

private:
    [[nodiscard]] std::optional<std::string_view> replacement(std::string_view chunk) const
    {
        const std::optional<std::size_t> at = m_trie.find(chunk);
        if (!at || *at >= m_texts.size())
            return {};
        const std::string_view rest = std::string_view(m_texts).substr(*at);
        return rest.substr(0, rest.find('\0'));
    }

    // As the reference counts: the last ones of a longer text are inserted, of a shorter one the last stands for more.
    static void replace(std::vector<Rewritten>& out, std::string_view before, std::string_view after)
    {
        int difference = 0;
        for (std::size_t i = 0; i < before.size(); --difference)
            static_cast<void>(nextCharacter(before, i));
        for (std::size_t i = 0; i < after.size(); ++difference)
            out.push_back({nextCharacter(after, i), 0});
        for (std::size_t i = 0; difference > 0 && i < static_cast<std::size_t>(difference); ++i)
            out[out.size() - 1 - i].change = 1;
        if (difference < 0 && !out.empty())
            out.back().change += difference;
    }

    // What a reader calls one character, as byte ranges.
    static std::vector<std::pair<std::size_t, std::size_t>> graphemes(std::string_view text)
    {
        std::vector<std::pair<std::size_t, std::size_t>> ranges;
        UErrorCode status = U_ZERO_ERROR;
        UText* const view = utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status);
        UBreakIterator* const breaks = ubrk_open(UBRK_CHARACTER, "", nullptr, 0, &status);
        ubrk_setUText(breaks, view, &status);
        if (U_SUCCESS(status))
            for (std::int32_t from = ubrk_first(breaks), to = ubrk_next(breaks); to != UBRK_DONE;
                 from = to, to = ubrk_next(breaks))
                ranges.emplace_back(static_cast<std::size_t>(from), static_cast<std::size_t>(to));
        ubrk_close(breaks);
        utext_close(view);
        if (ranges.empty() && !text.empty())
            ranges.emplace_back(0, text.size()); // looked up character by character
        return ranges;
    }

    CharacterTrie m_trie;
    std::string m_texts; ///< each ended by a zero byte
};

} // namespace

Result<NormalizerPtr> makePrecompiledNormalizer(std::string_view base64)
{
    const std::optional<std::string> bytes = fromBase64(base64);
    if (bytes && bytes->empty())
        return NormalizerPtr();
    std::uint32_t size = 0;
    if (bytes && bytes->size() >= sizeof size)
        std::memcpy(&size, bytes->data(), sizeof size);
    if (!bytes || bytes->size() < sizeof size || size % sizeof(std::uint32_t) != 0
        || size > bytes->size() - sizeof size)
        return inputError("The normalizer's 'precompiled_charsmap' is not a SentencePiece character map.");
    std::vector<std::uint32_t> units(size / sizeof(std::uint32_t));
    std::memcpy(units.data(), bytes->data() + sizeof size, size);
    return NormalizerPtr(
        std::make_unique<PrecompiledNormalizer>(CharacterTrie(std::move(units)), bytes->substr(sizeof size + size)));
}

} // namespace headscope::text
