// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/steps/addedtokens.h"

#include "core/base/failure.h"
#include "core/text/unicode/characters.h"
#include "core/text/unicode/utf8.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope::text {

namespace {

Result<std::string> normalizedText(const std::string& text, const Normalizer& normalizer)
{
    Arena arena(text);
    Piece piece;
    piece.text = text;
    try {
        const Result<Piece> normalized = normalizer.normalize(piece, arena);
        return normalized.has_value() ? Result<std::string>(std::string(normalized->text)) : normalized.error();
    } catch (const Failure& failure) { // of the arena
        return failure.error();
    }
}

} // namespace

Result<AddedTokens> AddedTokens::make(std::vector<AddedToken> tokens, const Vocabulary& vocabulary,
                                      const Normalizer* normalizer)
{
    AddedTokens a;
    int next = static_cast<int>(vocabulary.size());
    for (AddedToken& token : tokens) {
        if (token.content.empty())
            continue;
        std::optional<int> id = a.idOf(token.content);
        if (!id)
            id = vocabulary.idOf(token.content);
        if (!id)
            id = next++;
        if (token.id >= 0 && token.id != *id)
            return inputError(
                fmt::format("The added token '{}' states id {}; expected {}, its place in the vocabulary.",
                            token.content, token.id, *id));
        if (const auto other = a.m_byId.find(*id);
            other != a.m_byId.end() && a.m_tokens[other->second].content != token.content)
            return inputError(fmt::format("The added tokens '{}' and '{}' both have id {}; expected different ids.",
                                          a.m_tokens[other->second].content, token.content, *id));
        if (const std::string* old = vocabulary.tokenOf(*id); old != nullptr && *old != token.content)
            return inputError(fmt::format("The added token '{}' would get id {}, which the vocabulary gives to '{}'.",
                                          token.content, *id, *old));
        token.id = *id;
        std::string decoded = token.content;
        if (token.normalized && normalizer != nullptr) {
            auto normalized = normalizedText(token.content, *normalizer);
            if (!normalized.has_value())
                return normalized.error();
            decoded = *std::move(normalized);
        }
        if (token.special)
            a.m_special[token.content] = true;
        a.m_byContent[token.content] = *id;
        a.m_byId[*id] = a.m_tokens.size();
        a.m_largest = std::max(a.m_largest, *id);
        a.m_tokens.push_back(std::move(token));
        a.m_decoded.push_back(std::move(decoded));
    }
    for (const auto& [id, at] : a.m_byId) {
        StringFinder& finder = a.m_tokens[at].normalized ? a.m_afterNormalizing : a.m_raw;
        if (!a.m_decoded[at].empty())
            finder.add(a.m_decoded[at], id);
    }
    a.m_raw.build();
    a.m_afterNormalizing.build();
    return a;
}

void AddedTokens::cut(const Piece& piece, bool normalized, bool splitSpecial, std::vector<Piece>& out) const
{
    const std::string_view text = piece.text;
    const StringFinder& finder = normalized ? m_afterNormalizing : m_raw;
    std::vector<StringFinder::Hit> hits;
    finder.find(text, hits);
    std::size_t last = 0; // end of the last token
    for (const StringFinder::Hit& hit : hits) {
        const AddedToken& token = *tokenOf(hit.value);
        std::size_t begin = hit.begin;
        std::size_t end = hit.end;
        if (splitSpecial && isSpecial(token.content))
            continue;
        if (token.singleWord) {
            std::size_t i = begin;
            std::size_t k = end;
            if ((begin > 0 && isWordCharacter(previousCharacter(text, i)))
                || (end < text.size() && isWordCharacter(nextCharacter(text, k))))
                continue;
        }
        while (token.lstrip && begin > last) {
            std::size_t i = begin;
            if (!isWhitespace(previousCharacter(text, i)))
                break;
            begin = i;
        }
        if (token.lstrip)
            begin = std::max(begin, last);
        while (token.rstrip && end < text.size()) {
            std::size_t i = end;
            if (!isWhitespace(nextCharacter(text, i)))
                break;
            end = i;
        }
        if (last < begin)
            out.push_back(piece.part(last, begin));
        out.push_back(piece.part(begin, end));
        out.back().id = hit.value;
        last = end;
    }
    if (last < text.size())
        out.push_back(piece.part(last, text.size()));
}

std::optional<int> AddedTokens::idOf(std::string_view content) const
{
    const auto it = m_byContent.find(std::string(content));
    if (it == m_byContent.end())
        return std::nullopt;
    return it->second;
}

const AddedToken* AddedTokens::tokenOf(int id) const
{
    const auto it = m_byId.find(id);
    return it == m_byId.end() ? nullptr : &m_tokens[it->second];
}

const std::string* AddedTokens::decodedForm(int id) const
{
    const auto it = m_byId.find(id);
    return it == m_byId.end() ? nullptr : &m_decoded[it->second];
}

bool AddedTokens::isSpecial(std::string_view content) const
{
    return m_special.contains(std::string(content));
}

} // namespace headscope::text
