// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/writtentext.h"

#include "core/base/printable.h"
#include "core/text/models/bytealphabet.h"
#include "core/text/unicode/utf8.h"

#include <fmt/format.h>

#include <optional>

namespace headscope::text {

namespace {

constexpr std::string_view kBlankMark = "\u2581"; // SentencePiece's

/// The bytes that a token of a byte-level vocabulary spells; nothing for a token of another kind.
std::optional<std::string> spelledBytes(const std::string& token)
{
    std::string bytes;
    if (firstInvalidUtf8(token))
        return std::nullopt;
    for (std::size_t i = 0; i < token.size();) {
        const std::optional<unsigned char> byte = byteOf(nextCharacter(token, i));
        if (!byte)
            return std::nullopt;
        bytes += static_cast<char>(*byte);
    }
    return bytes;
}

/// SentencePiece's marks as the blanks that they stand for.
std::string withBlanks(std::string spelled)
{
    for (std::size_t at = 0; (at = spelled.find(kBlankMark, at)) != std::string::npos; ++at)
        spelled.replace(at, kBlankMark.size(), " ");
    return spelled;
}

/// `<0xE6>`: the token of one byte in vocabularies that fall back to bytes.
bool isByteToken(std::string_view token)
{
    return token.size() == 6 && token.starts_with("<0x") && token.ends_with('>');
}

/// A token that stands for the same characters as a neighbour: told from it by what it spells.
std::string partOf(std::string_view written, const std::string& spelled)
{
    if (isByteToken(spelled))
        return spelled;
    if (const auto bytes = spelledBytes(spelled); bytes && written.find(*bytes) != std::string_view::npos)
        return visible(*bytes);
    return visible(withBlanks(spelled));
}

} // namespace

std::vector<std::string> writtenTexts(std::string_view text, const Encoding& encoding)
{
    std::vector<std::string> texts;
    const auto& offsets = encoding.offsets;
    const auto meet = [&](std::size_t a, std::size_t b) {
        return offsets[a].first < offsets[b].second && offsets[b].first < offsets[a].second;
    };
    for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
        const auto [begin, end] = offsets[i];
        if (end <= begin || end > text.size())
            texts.push_back(visible(encoding.tokens[i]));
        else if ((i > 0 && meet(i, i - 1)) || (i + 1 < encoding.ids.size() && meet(i, i + 1)))
            texts.push_back(partOf(text.substr(begin, end - begin), encoding.tokens[i]));
        else
            texts.push_back(visible(text.substr(begin, end - begin)));
    }
    return texts;
}

std::string writtenText(const Tokenizer& tokenizer, int id)
{
    const auto written = tokenizer.decode(std::vector<int>{id});
    const std::optional<std::string> spelled = tokenizer.tokenOf(id);
    if (!written.has_value() || !spelled)
        return fmt::format("[{}]", id);
    const bool broken =
        written->find("\ufffd") != std::string::npos; // a part of a character, unless it spells this one
    if (isByteToken(*spelled) && (broken || tokenizer.idOf(*written)))
        return *spelled;
    if (broken)
        if (const auto bytes = spelledBytes(*spelled); bytes && replaceInvalidUtf8(*bytes) == *written)
            return visible(*bytes);
    const std::string blanks = withBlanks(*spelled); // decoders leave out the blank of a first word
    return visible(written->empty() || blanks == ' ' + *written ? blanks : *written);
}

} // namespace headscope::text
