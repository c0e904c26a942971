// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/unicode/utf8.h"

#include <cstdint>
#include <cstring>

namespace headscope::text {

namespace {

struct Step {
    std::size_t bytes; ///< of a whole character, or of the maximal ill-formed prefix
    bool valid;
};

Step step(std::string_view text, std::size_t i)
{
    const auto at = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned char lead = at(i);
    if (lead < 0x80)
        return {1, true};
    if (lead < 0xC2 || lead > 0xF4)
        return {1, false};
    const std::size_t want = utf8Length(lead);
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    if (lead == 0xE0)
        low = 0xA0;
    else if (lead == 0xED)
        high = 0x9F;
    else if (lead == 0xF0)
        low = 0x90;
    else if (lead == 0xF4)
        high = 0x8F;
    for (std::size_t k = 1; k < want; ++k) {
        if (i + k == text.size() || at(i + k) < low || at(i + k) > high)
            return {k, false};
        low = 0x80;
        high = 0xBF;
    }
    return {want, true};
}

} // namespace

std::size_t asciiPrefix(std::string_view text)
{
    constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
    std::size_t i = 0;
    for (; i + 8 <= text.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + i, 8);
        if ((word & kHighBits) != 0)
            break;
    }
    while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80)
        ++i;
    return i;
}

std::optional<std::size_t> firstInvalidUtf8(std::string_view text)
{
    std::size_t i = asciiPrefix(text);
    while (i < text.size()) {
        const Step s = step(text, i);
        if (!s.valid)
            return i;
        i += s.bytes;
    }
    return std::nullopt;
}

std::string replaceInvalidUtf8(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const Step s = step(text, i);
        if (s.valid)
            out.append(text.substr(i, s.bytes));
        else
            out.append("\xEF\xBF\xBD");
        i += s.bytes;
    }
    return out;
}

void appendUtf8(std::string& out, char32_t c)
{
    const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | c >> 6);
        put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3F));
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    }
}

} // namespace headscope::text
