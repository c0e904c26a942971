// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/pipeline.h"

#include "core/base/failure.h"
#include "core/text/unicode/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headscope::text {

/// Takes the shared cache for one call; a call that finds it taken works with a new one. No call ever waits.
class Pipeline::CacheLease
{
public:
    explicit CacheLease(std::atomic<WordCache*>& shared) : m_shared(shared), m_cache(shared.exchange(nullptr))
    {
        if (!m_cache)
            m_cache = std::make_unique<WordCache>();
    }
    ~CacheLease() { delete m_shared.exchange(m_cache.release()); }
    CacheLease(const CacheLease&) = delete;
    CacheLease& operator=(const CacheLease&) = delete;
    WordCache& operator*() const { return *m_cache; }

private:
    std::atomic<WordCache*>& m_shared;
    std::unique_ptr<WordCache> m_cache;
};

namespace {

/// Words that a vocabulary without an unknown token does not have, each once, in the order of the text.
struct UnknownWords {
    static constexpr std::size_t kMost = 100; // in one sentence

    std::optional<Error> first;
    std::vector<std::string> words;
    std::set<std::string> seen;

    void add(const Error& error)
    {
        if (!first)
            first = error;
        if (seen.insert(error.detail).second)
            words.push_back(error.detail);
    }
    [[nodiscard]] Error asError() const
    {
        if (words.size() == 1)
            return {first->kind, first->message, {}};
        std::string list;
        for (std::size_t i = 0; i < std::min(words.size(), kMost); ++i)
            list += (i == 0 ? "'" : ", '") + words[i] + "'";
        if (words.size() > kMost)
            list += fmt::format(" and {} more", words.size() - kMost);
        return {first->kind, fmt::format("{} words are not in the vocabulary: {}.", words.size(), list), {}};
    }
};

} // namespace

Result<Encoding> Pipeline::encode(std::string_view text, bool addSpecial) const
{
    return guarded(text, addSpecial, m_parts.splitSpecial);
}

Result<Encoding> Pipeline::encodePlain(std::string_view text, bool addSpecial) const
{
    return guarded(text, addSpecial, true);
}

Result<Encoding> Pipeline::guarded(std::string_view text, bool addSpecial, bool splitSpecial) const
{
    try {
        return run(text, addSpecial, splitSpecial);
    } catch (const Failure& failure) { // of the arena
        return failure.error();
    }
}

Result<Encoding> Pipeline::run(std::string_view text, bool addSpecial, bool splitSpecial) const
{
    if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        return inputError(fmt::format("The text has {} bytes; a tokenizer accepts at most {}.", text.size(),
                                      std::numeric_limits<int>::max()));
    if (const auto at = firstInvalidUtf8(text))
        return inputError(fmt::format("The text is not valid UTF-8 at byte {}.", *at));

    Arena arena(text);
    Piece whole;
    whole.text = text;
    std::vector<Piece> raw;    // 1. cut at the added tokens that are matched in the raw text
    std::vector<Piece> pieces; // 2. normalized and cut at the other added tokens
    std::vector<Piece> words;  // 3. cut into words
    m_parts.added.cut(whole, false, splitSpecial, raw);
    for (const Piece& piece : raw) {
        if (piece.id >= 0) {
            pieces.push_back(piece);
            continue;
        }
        const Result<Piece> normalized =
            m_parts.normalizer ? m_parts.normalizer->normalize(piece, arena) : Result<Piece>(piece);
        if (!normalized.has_value())
            return normalized.error();
        m_parts.added.cut(*normalized, true, splitSpecial, pieces);
    }
    for (const Piece& piece : pieces) {
        if (piece.id >= 0 || !m_parts.preTokenizer) {
            words.push_back(piece);
            continue;
        }
        if (const Result<void> done = m_parts.preTokenizer->split(piece, arena, words); !done.has_value())
            return done.error();
    }

    const CacheLease cache(m_cache);
    Encoding encoding;
    const std::size_t guess = text.size() / 4 + 8;
    encoding.ids.reserve(guess);
    encoding.tokens.reserve(guess);
    encoding.offsets.reserve(guess);
    std::vector<WordToken> tokens;
    UnknownWords unknown;
    for (const Piece& word : words) {
        tokens.clear();
        if (word.id >= 0)
            tokens.push_back({word.id, 0, static_cast<std::uint32_t>(word.text.size())});
        else if (const Result<void> done = m_parts.model->tokenize(word.text, word.byteLevel, *cache, tokens);
                 !done.has_value()) {
            if (done.error().detail.empty())
                return done.error();
            unknown.add(done.error()); // the others are looked at too, so that all are told at once
            continue;
        }
        for (const WordToken& t : tokens) {
            encoding.ids.push_back(t.id);
            encoding.tokens.push_back(word.id >= 0 ? std::string(word.text) : spellingOf(t.id));
            if (t.begin < t.end) {
                const Span span = word.sourceOf(t.begin, t.end);
                encoding.offsets.emplace_back(span.begin, span.end);
            } else {
                encoding.offsets.emplace_back(word.start, word.start);
            }
        }
    }
    if (unknown.first)
        return unknown.asError();
    m_parts.postProcessor.process(encoding, addSpecial); // of an added token it trims what it was found as
    for (std::size_t i = 0; i < encoding.ids.size(); ++i)
        if (const AddedToken* added = m_parts.added.tokenOf(encoding.ids[i]); added != nullptr)
            encoding.tokens[i] = spellingOf(encoding.ids[i]);
    return encoding;
}

const std::string& Pipeline::spellingOf(int id) const
{
    static const std::string none;
    if (const std::string* token = m_parts.model->vocabulary().tokenOf(id); token != nullptr)
        return *token;
    const AddedToken* added = m_parts.added.tokenOf(id);
    return added != nullptr ? added->content : none;
}

Result<std::string> Pipeline::decode(std::span<const int> ids, bool skipSpecial) const
{
    std::vector<std::string> tokens;
    tokens.reserve(ids.size());
    for (const int id : ids) {
        if (id < 0)
            return inputError(fmt::format("Token id {} cannot be decoded; expected at least 0.", id));
        const std::string* token = m_parts.added.decodedForm(id);
        if (token == nullptr)
            token = m_parts.model->vocabulary().tokenOf(id);
        if (token != nullptr && !(skipSpecial && m_parts.added.isSpecial(*token)))
            tokens.push_back(*token);
    }
    const std::string_view between = m_parts.decoder ? "" : " ";
    if (m_parts.decoder) {
        if (const Result<void> done = m_parts.decoder->decode(tokens); !done.has_value())
            return done.error();
    }
    std::string text;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i > 0)
            text += between;
        text += tokens[i];
    }
    return text;
}

int Pipeline::vocabularySize() const
{
    return std::max(m_parts.model->vocabulary().largestId(), m_parts.added.largestId()) + 1;
}

std::optional<int> Pipeline::idOf(std::string_view token) const
{
    const std::optional<int> added = m_parts.added.idOf(token);
    return added ? added : m_parts.model->vocabulary().idOf(token);
}

std::optional<std::string> Pipeline::tokenOf(int id) const
{
    if (const AddedToken* added = m_parts.added.tokenOf(id); added != nullptr)
        return added->content;
    const std::string* token = m_parts.model->vocabulary().tokenOf(id);
    return token == nullptr ? std::nullopt : std::optional(*token);
}

} // namespace headscope::text
