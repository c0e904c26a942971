// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/steps/normalizers.h"

#include "core/text/unicode/characters.h"
#include "core/text/unicode/utf8.h"

#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <utility>

namespace headscope::text {

namespace {

class SequenceNormalizer final : public Normalizer
{
public:
    explicit SequenceNormalizer(std::vector<NormalizerPtr> steps) : m_steps(std::move(steps)) {}
    Result<Piece> normalize(const Piece& piece, Arena& arena) const override
    {
        Piece current = piece;
        for (const NormalizerPtr& step : m_steps) {
            Result<Piece> next = step->normalize(current, arena);
            if (!next.has_value())
                return next;
            current = *next;
        }
        return current;
    }

private:
    std::vector<NormalizerPtr> m_steps;
};

class Prepend final : public Normalizer
{
public:
    explicit Prepend(std::string prefix) : m_prefix(std::move(prefix)) {}
    Result<Piece> normalize(const Piece& piece, Arena& arena) const override
    {
        return piece.text.empty() || m_prefix.empty() ? piece : prepend(piece, m_prefix, arena);
    }

private:
    std::string m_prefix;
};

class ReplaceNormalizer final : public Normalizer
{
public:
    ReplaceNormalizer(Pattern pattern, std::string content)
        : m_pattern(std::move(pattern)), m_content(std::move(content))
    {
    }
    Result<Piece> normalize(const Piece& piece, Arena& arena) const override
    {
        return replaceMatches(piece, m_pattern, m_content, arena);
    }

private:
    Pattern m_pattern;
    std::string m_content;
};

class StripNormalizer final : public Normalizer
{
public:
    StripNormalizer(bool left, bool right) : m_left(left), m_right(right) {}
    Result<Piece> normalize(const Piece& piece, Arena&) const override
    {
        std::size_t begin = 0;
        std::size_t end = piece.text.size();
        while (m_left && begin < end) {
            std::size_t i = begin;
            if (!isWhitespace(nextCharacter(piece.text, i)))
                break;
            begin = i;
        }
        while (m_right && begin < end) {
            std::size_t i = end;
            if (!isWhitespace(previousCharacter(piece.text, i)))
                break;
            end = i;
        }
        if (begin == 0 && end == piece.text.size())
            return piece;
        Piece stripped = piece.part(begin, end);
        stripped.start = piece.start; // it was still cut out there
        return stripped;
    }

private:
    bool m_left;
    bool m_right;
};

class Lowercase final : public Normalizer
{
public:
    Result<Piece> normalize(const Piece& piece, Arena& arena) const override
    {
        std::vector<Rewritten> out;
        for (std::size_t i = 0; i < piece.text.size();) {
            const char32_t c = nextCharacter(piece.text, i);
            if (c == 0x130) { // the only character whose lower case, without context, has two
                out.push_back({U'i', 0});
                out.push_back({0x307, 1});
            } else {
                out.push_back({static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))), 0});
            }
        }
        return rewrite(piece, out, 0, arena);
    }
};

} // namespace

Result<Piece> replaceMatches(const Piece& piece, const Pattern& pattern, std::string_view content, Arena& arena)
{
    std::vector<Stretch> stretches;
    if (const Result<void> found = pattern.find(piece.text, stretches); !found.has_value())
        return found.error();
    bool any = false;
    for (const Stretch& s : stretches)
        any = any || s.match;
    if (!any)
        return piece;
    Arena::Draft& draft = arena.draft(piece.text.size() * 5 / 4);
    for (const Stretch& s : stretches) {
        if (s.match) {
            draft.add(content, s.end > 0 ? piece.sourceOf(s.end - 1) : Span{piece.start, piece.start});
        } else {
            draft.text.append(piece.text.substr(s.begin, s.end - s.begin));
            for (std::size_t i = s.begin; i < s.end; ++i)
                draft.source.push_back(piece.sourceOf(i));
        }
    }
    return arena.keep(piece);
}

NormalizerPtr makeSequenceNormalizer(std::vector<NormalizerPtr> steps)
{
    std::erase(steps, nullptr); // those that do nothing
    return std::make_unique<SequenceNormalizer>(std::move(steps));
}
NormalizerPtr makePrependNormalizer(std::string prefix)
{
    return std::make_unique<Prepend>(std::move(prefix));
}
NormalizerPtr makeReplaceNormalizer(Pattern pattern, std::string content)
{
    return std::make_unique<ReplaceNormalizer>(std::move(pattern), std::move(content));
}
NormalizerPtr makeStripNormalizer(bool left, bool right)
{
    return std::make_unique<StripNormalizer>(left, right);
}
NormalizerPtr makeLowercaseNormalizer()
{
    return std::make_unique<Lowercase>();
}

} // namespace headscope::text
