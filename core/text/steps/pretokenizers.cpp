// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/steps/pretokenizers.h"

#include "core/text/models/bytealphabet.h"
#include "core/text/steps/normalizers.h"
#include "core/text/unicode/characters.h"
#include "core/text/unicode/utf8.h"

#include <algorithm>
#include <utility>

namespace headscope::text {

namespace {

/// GPT-2's pattern, which ByteLevel has built in.
constexpr const char* kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

void addWords(const Piece& piece, const std::vector<Stretch>& stretches, std::vector<Piece>& words)
{
    for (const Stretch& s : stretches) {
        if (s.begin < s.end)
            words.push_back(piece.part(s.begin, s.end));
    }
}

class SequenceSplit final : public PreTokenizer
{
public:
    explicit SequenceSplit(std::vector<PreTokenizerPtr> steps) : m_steps(std::move(steps)) {}
    Result<void> split(const Piece& piece, Arena& arena, std::vector<Piece>& words) const override
    {
        std::vector<Piece> current{piece};
        std::vector<Piece> next;
        for (const PreTokenizerPtr& step : m_steps) {
            next.clear();
            for (const Piece& word : current) {
                if (Result<void> done = step->split(word, arena, next); !done.has_value())
                    return done;
            }
            std::swap(current, next);
        }
        words.insert(words.end(), current.begin(), current.end());
        return {};
    }

private:
    std::vector<PreTokenizerPtr> m_steps;
};

class Split final : public PreTokenizer
{
public:
    Split(Pattern pattern, SplitBehavior behavior, bool invert)
        : m_pattern(std::move(pattern)), m_behavior(behavior), m_invert(invert)
    {
    }
    Result<void> split(const Piece& piece, Arena&, std::vector<Piece>& words) const override
    {
        std::vector<Stretch> stretches;
        if (Result<void> found = m_pattern.find(piece.text, stretches); !found.has_value())
            return found;
        if (m_invert) {
            for (Stretch& s : stretches)
                s.match = !s.match;
        }
        applyBehavior(m_behavior, stretches);
        addWords(piece, stretches, words);
        return {};
    }

private:
    Pattern m_pattern;
    SplitBehavior m_behavior;
    bool m_invert;
};

class OfClass final : public PreTokenizer
{
public:
    OfClass(CharacterClass characters, SplitBehavior behavior) : m_behavior(behavior)
    {
        switch (characters) {
        case CharacterClass::Punctuation: m_matches = isPunctuation; break;
        case CharacterClass::Numeric: m_matches = isNumeric; break;
        case CharacterClass::Whitespace: m_matches = isWhitespace; break;
        }
    }
    Result<void> split(const Piece& piece, Arena&, std::vector<Piece>& words) const override
    {
        std::vector<Stretch> stretches;
        std::size_t last = 0;
        for (std::size_t i = 0; i < piece.text.size();) {
            const std::size_t begin = i;
            if (!m_matches(nextCharacter(piece.text, i)))
                continue;
            if (last != begin)
                stretches.push_back({last, begin, false});
            stretches.push_back({begin, i, true});
            last = i;
        }
        if (last != piece.text.size())
            stretches.push_back({last, piece.text.size(), false});
        applyBehavior(m_behavior, stretches);
        addWords(piece, stretches, words);
        return {};
    }

private:
    bool (*m_matches)(char32_t) = nullptr;
    SplitBehavior m_behavior;
};

class Whitespace final : public PreTokenizer
{
public:
    Result<void> split(const Piece& piece, Arena&, std::vector<Piece>& words) const override
    {
        enum class Kind { Space, Word, Other };
        Kind previous = Kind::Space;
        std::size_t begin = 0;
        for (std::size_t i = 0; i < piece.text.size();) {
            const std::size_t at = i;
            const char32_t c = nextCharacter(piece.text, i);
            const Kind kind = isWordCharacter(c) ? Kind::Word : isWhitespace(c) ? Kind::Space : Kind::Other;
            if (kind == previous)
                continue;
            if (previous != Kind::Space)
                words.push_back(piece.part(begin, at));
            previous = kind;
            begin = at;
        }
        if (previous != Kind::Space)
            words.push_back(piece.part(begin, piece.text.size()));
        return {};
    }
};

class ByteLevelSplit final : public PreTokenizer
{
public:
    ByteLevelSplit(std::optional<Pattern> pattern, bool addPrefixSpace, bool last)
        : m_pattern(std::move(pattern)), m_addPrefixSpace(addPrefixSpace), m_last(last)
    {
    }
    Result<void> split(const Piece& piece, Arena& arena, std::vector<Piece>& words) const override
    {
        Piece p = piece;
        if (m_addPrefixSpace && !p.text.starts_with(' '))
            p = prepend(p, " ", arena);
        std::vector<Stretch> stretches;
        if (!m_pattern)
            stretches.push_back({0, p.text.size(), false});
        else if (Result<void> found = m_pattern->find(p.text, stretches); !found.has_value())
            return found;
        if (m_last)
            p.byteLevel = true;
        else
            p = spellOut(p, stretches, arena);
        addWords(p, stretches, words);
        return {};
    }

private:
    /// Each byte as its character of the alphabet; the stretches are moved to where their bytes went.
    static Piece spellOut(const Piece& piece, std::vector<Stretch>& stretches, Arena& arena)
    {
        const auto& characters = byteAlphabet();
        Arena::Draft& draft = arena.draft(piece.text.size() * 2);
        for (Stretch& s : stretches) {
            const std::size_t begin = draft.text.size();
            for (std::size_t i = s.begin; i < s.end; ++i)
                draft.add(characters[static_cast<unsigned char>(piece.text[i])], piece.sourceOf(i));
            s.begin = begin;
            s.end = draft.text.size();
        }
        return arena.keep(piece);
    }

    std::optional<Pattern> m_pattern;
    bool m_addPrefixSpace;
    bool m_last;
};

class MetaspaceSplit final : public PreTokenizer
{
public:
    MetaspaceSplit(Pattern space, Pattern mark, std::string replacement, PrependScheme scheme, bool splits)
        : m_space(std::move(space)), m_mark(std::move(mark)), m_replacement(std::move(replacement)), m_scheme(scheme),
          m_splits(splits)
    {
    }
    Result<void> split(const Piece& piece, Arena& arena, std::vector<Piece>& words) const override
    {
        const Result<Piece> replaced = replaceMatches(piece, m_space, m_replacement, arena);
        if (!replaced.has_value())
            return replaced.error();
        Piece p = *replaced;
        const bool wanted = m_scheme == PrependScheme::Always || (m_scheme == PrependScheme::First && p.start == 0);
        if (wanted && !p.text.empty() && !p.text.starts_with(m_replacement))
            p = prepend(p, m_replacement, arena);
        if (!m_splits) {
            words.push_back(p);
            return {};
        }
        std::vector<Stretch> stretches;
        if (Result<void> found = m_mark.find(p.text, stretches); !found.has_value())
            return found;
        applyBehavior(SplitBehavior::MergedWithNext, stretches);
        addWords(p, stretches, words);
        return {};
    }

private:
    Pattern m_space;
    Pattern m_mark;
    std::string m_replacement;
    PrependScheme m_scheme;
    bool m_splits;
};

} // namespace

void applyBehavior(SplitBehavior behavior, std::vector<Stretch>& stretches)
{
    std::vector<Stretch> out;
    out.reserve(stretches.size());
    bool previous = false;
    switch (behavior) {
    case SplitBehavior::Isolated: return;
    case SplitBehavior::Removed: std::erase_if(stretches, [](const Stretch& s) { return s.match; }); return;
    case SplitBehavior::Contiguous:
        for (const Stretch& s : stretches) {
            if (s.match == previous && !out.empty())
                out.back().end = s.end;
            else
                out.push_back(s);
            previous = s.match;
        }
        break;
    case SplitBehavior::MergedWithPrevious:
        for (const Stretch& s : stretches) {
            if (s.match && !previous && !out.empty())
                out.back().end = s.end;
            else
                out.push_back(s);
            previous = s.match;
        }
        break;
    case SplitBehavior::MergedWithNext:
        for (auto s = stretches.rbegin(); s != stretches.rend(); ++s) {
            if (s->match && !previous && !out.empty())
                out.back().begin = s->begin;
            else
                out.push_back(*s);
            previous = s->match;
        }
        std::reverse(out.begin(), out.end());
        break;
    }
    stretches = std::move(out);
}

PreTokenizerPtr makeSequencePreTokenizer(std::vector<PreTokenizerPtr> steps)
{
    return std::make_unique<SequenceSplit>(std::move(steps));
}

PreTokenizerPtr makeSplitPreTokenizer(Pattern pattern, SplitBehavior behavior, bool invert)
{
    return std::make_unique<Split>(std::move(pattern), behavior, invert);
}

PreTokenizerPtr makeClassPreTokenizer(CharacterClass characters, SplitBehavior behavior)
{
    return std::make_unique<OfClass>(characters, behavior);
}

PreTokenizerPtr makeWhitespacePreTokenizer()
{
    return std::make_unique<Whitespace>();
}

Result<PreTokenizerPtr> makeByteLevelPreTokenizer(bool addPrefixSpace, bool useRegex, bool last)
{
    std::optional<Pattern> pattern;
    if (useRegex) {
        Result<Pattern> compiled = Pattern::compile(kGpt2Pattern);
        if (!compiled.has_value())
            return compiled.error();
        pattern = *std::move(compiled);
    }
    return PreTokenizerPtr(std::make_unique<ByteLevelSplit>(std::move(pattern), addPrefixSpace, last));
}

Result<PreTokenizerPtr> makeMetaspacePreTokenizer(const std::string& replacement, PrependScheme scheme, bool split)
{
    Result<Pattern> space = Pattern::literal(" ");
    Result<Pattern> mark = Pattern::literal(replacement);
    if (!space.has_value())
        return space.error();
    if (!mark.has_value())
        return mark.error();
    return PreTokenizerPtr(
        std::make_unique<MetaspaceSplit>(*std::move(space), *std::move(mark), replacement, scheme, split));
}

} // namespace headscope::text
