// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/steps/postprocessor.h"

#include "core/text/unicode/characters.h"
#include "core/text/unicode/utf8.h"

#include <algorithm>
#include <utility>

namespace headscope::text {

namespace {

constexpr char32_t kSpaceByte = 0x120; // what a space of byte-level tokens is written as

bool isSpaceOfToken(char32_t c)
{
    return c == kSpaceByte || isWhitespace(c);
}

/// White space at one end of a token: how many characters, and the bytes of the text that they are.
struct Blank {
    std::size_t characters = 0, bytes = 0;
    void add(char32_t c, std::size_t size)
    {
        ++characters;
        bytes += c == kSpaceByte ? 1 : size;
    }
};

void trimOffsets(Encoding& encoding, bool addPrefixSpace)
{
    for (std::size_t t = 0; t < encoding.tokens.size(); ++t) {
        const std::string_view token = encoding.tokens[t];
        auto& [begin, end] = encoding.offsets[t];
        Blank leading, trailing;
        for (std::size_t i = 0, from = 0; i < token.size(); from = i) {
            const char32_t c = nextCharacter(token, i);
            if (!isSpaceOfToken(c))
                break;
            leading.add(c, i - from);
        }
        for (std::size_t i = token.size(), to = i; i > 0; to = i) {
            const char32_t c = previousCharacter(token, i);
            if (!isSpaceOfToken(c))
                break;
            trailing.add(c, to - i);
        }
        const bool first = t == 0 || begin == 0;
        if (leading.characters > (first && addPrefixSpace ? 1U : 0U))
            begin = std::min(begin + leading.bytes, end);
        if (trailing.characters > 0 && end >= trailing.bytes)
            end = std::max(end - trailing.bytes, begin);
    }
}

void append(Encoding& to, const Encoding& from)
{
    to.ids.insert(to.ids.end(), from.ids.begin(), from.ids.end());
    to.tokens.insert(to.tokens.end(), from.tokens.begin(), from.tokens.end());
    to.offsets.insert(to.offsets.end(), from.offsets.begin(), from.offsets.end());
}

} // namespace

void PostProcessor::addTrim(bool addPrefixSpace)
{
    m_steps.push_back({true, addPrefixSpace, {}});
}

void PostProcessor::addTemplate(std::vector<TemplatePart> parts)
{
    m_steps.push_back({false, false, std::move(parts)});
}

void PostProcessor::process(Encoding& encoding, bool addSpecial) const
{
    for (const Step& step : m_steps) {
        if (step.trims) {
            trimOffsets(encoding, step.addPrefixSpace);
            continue;
        }
        if (!addSpecial)
            continue;
        Encoding whole;
        whole.ids.reserve(encoding.ids.size() + 2);
        for (const TemplatePart& part : step.parts) {
            if (part.isText) {
                append(whole, encoding);
                continue;
            }
            whole.ids.insert(whole.ids.end(), part.ids.begin(), part.ids.end());
            whole.tokens.insert(whole.tokens.end(), part.tokens.begin(), part.tokens.end());
            whole.offsets.insert(whole.offsets.end(), part.ids.size(), {0, 0});
        }
        encoding = std::move(whole);
    }
}

std::vector<int> PostProcessor::idsBeforeText() const
{
    std::vector<int> ids;
    for (const Step& step : m_steps) {
        for (const TemplatePart& part : step.parts) {
            if (part.isText)
                break;
            ids.insert(ids.end(), part.ids.begin(), part.ids.end());
        }
    }
    return ids;
}

std::vector<int> PostProcessor::idsAfterText() const
{
    std::vector<int> ids;
    for (const Step& step : m_steps) {
        bool after = false;
        for (const TemplatePart& part : step.parts) {
            after = after || part.isText;
            ids.insert(ids.end(), part.ids.begin(), after ? part.ids.end() : part.ids.begin());
        }
    }
    return ids;
}

} // namespace headscope::text
