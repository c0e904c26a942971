// SPDX-License-Identifier: GPL-3.0-or-later
// NFC, NFD, NFKC, NFKD with the source of every character kept. The data are ICU's, the algorithm is that of the
// Unicode standard (UAX 15): decompose, order the marks, compose. ICU's own normalizers do not say what came from
// where.
#include "core/text/steps/normalizers.h"

#include "core/text/unicode/utf8.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>

namespace headscope::text {

namespace {

/// Unicode 9 is what the reference's normalization knows; later characters neither compose, decompose nor move.
constexpr int kUnicodeVersion = 9;

struct Mark {
    char32_t character;
    int change;
    int combiningClass;
};

constexpr char32_t kNothing = 0xFFFFFFFF;

class UnicodeNormalizer final : public Normalizer
{
public:
    explicit UnicodeNormalizer(UnicodeForm form) : m_composes(form == UnicodeForm::Nfc || form == UnicodeForm::Nfkc)
    {
        const bool compatible = form == UnicodeForm::Nfkc || form == UnicodeForm::Nfkd;
        UErrorCode status = U_ZERO_ERROR;
        m_decomposer =
            compatible ? icu::Normalizer2::getNFKDInstance(status) : icu::Normalizer2::getNFDInstance(status);
        m_canonical = icu::Normalizer2::getNFCInstance(status);
        m_whole = m_composes ? (compatible ? icu::Normalizer2::getNFKCInstance(status) : m_canonical) : m_decomposer;
        m_usable = U_SUCCESS(status) != 0;
    }

    Result<Piece> normalize(const Piece& piece, Arena& arena) const override
    {
        if (!m_usable)
            return Error{Error::Kind::Internal, "ICU's normalization data could not be loaded.", {}};
        const std::size_t ascii = asciiPrefix(piece.text);
        if (ascii == piece.text.size())
            return piece;
        UErrorCode status = U_ZERO_ERROR;
        const icu::StringPiece rest(piece.text.data() + ascii, static_cast<std::int32_t>(piece.text.size() - ascii));
        const bool startsWithMark = ascii > 0; // the last ASCII character can compose with what follows
        const icu::StringPiece all(piece.text.data(), static_cast<std::int32_t>(piece.text.size()));
        if (m_whole->isNormalizedUTF8(startsWithMark ? all : rest, status) != 0 && U_SUCCESS(status) != 0)
            return piece;
        std::vector<Rewritten> out = decompose(piece.text);
        if (m_composes)
            out = compose(out);
        return rewrite(piece, out, 0, arena);
    }

private:
    static bool known(char32_t c)
    {
        if (c < 0x80)
            return true;
        UVersionInfo age;
        u_charAge(static_cast<UChar32>(c), age);
        return age[0] != 0 && age[0] <= kUnicodeVersion;
    }
    static int combiningClass(char32_t c)
    {
        return c < 0x300 || !known(c) ? 0 : u_getCombiningClass(static_cast<UChar32>(c));
    }
    char32_t pair(char32_t a, char32_t b) const
    {
        if (!known(a) || !known(b))
            return kNothing;
        const UChar32 c = m_canonical->composePair(static_cast<UChar32>(a), static_cast<UChar32>(b));
        return c < 0 || !known(static_cast<char32_t>(c)) ? kNothing : static_cast<char32_t>(c);
    }

    std::vector<Rewritten> decompose(std::string_view text) const
    {
        std::vector<Rewritten> out;
        out.reserve(text.size());
        std::vector<Mark> marks; // waiting to be put in order
        const auto flush = [&] {
            std::stable_sort(marks.begin(), marks.end(),
                             [](const Mark& a, const Mark& b) { return a.combiningClass < b.combiningClass; });
            for (const Mark& m : marks)
                out.push_back({m.character, m.change});
            marks.clear();
        };
        const auto push = [&](char32_t c, int change) {
            const int ccc = combiningClass(c);
            if (ccc == 0) {
                flush();
                out.push_back({c, change});
            } else {
                marks.push_back({c, change, ccc});
            }
        };
        icu::UnicodeString parts;
        for (std::size_t i = 0; i < text.size();) {
            const char32_t c = nextCharacter(text, i);
            if (c < 0x80 || !known(c) || m_decomposer->getDecomposition(static_cast<UChar32>(c), parts) == 0) {
                push(c, 0);
                continue;
            }
            for (std::int32_t k = 0; k < parts.length();) {
                const UChar32 d = parts.char32At(k);
                push(static_cast<char32_t>(d), k == 0 ? 0 : 1);
                k += U16_LENGTH(d);
            }
        }
        flush();
        return out;
    }

    std::vector<Rewritten> compose(const std::vector<Rewritten>& in) const
    {
        std::vector<Rewritten> out;
        out.reserve(in.size());
        std::vector<Rewritten> behind; // marks that did not combine with the starter
        Rewritten starter{kNothing, 0};
        int lastClass = -1; // of the last mark in `behind`, -1: none
        const auto finish = [&] {
            if (starter.character != kNothing)
                out.push_back(starter);
            out.insert(out.end(), behind.begin(), behind.end());
            behind.clear();
            lastClass = -1;
        };
        for (const Rewritten& r : in) {
            const int ccc = combiningClass(r.character);
            if (starter.character == kNothing) {
                if (ccc != 0)
                    out.push_back(r);
                else
                    starter = r;
                continue;
            }
            if (lastClass < ccc) { // not blocked
                if (const char32_t c = pair(starter.character, r.character); c != kNothing) {
                    starter = {c, starter.change + r.change - 1};
                    continue;
                }
            }
            if (ccc == 0) {
                finish();
                starter = r;
            } else {
                behind.push_back(r);
                lastClass = ccc;
            }
        }
        finish();
        return out;
    }

    const icu::Normalizer2* m_decomposer = nullptr;
    const icu::Normalizer2* m_canonical = nullptr;
    const icu::Normalizer2* m_whole = nullptr;
    bool m_composes;
    bool m_usable = false;
};

} // namespace

NormalizerPtr makeUnicodeNormalizer(UnicodeForm form)
{
    return std::make_unique<UnicodeNormalizer>(form);
}

} // namespace headscope::text
