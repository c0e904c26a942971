// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/printable.h"

#include <array>
#include <cstdint>
#include <cstdio>

namespace headscope {

namespace {

struct Letter {
    std::uint32_t code = 0;
    std::size_t size = 0; ///< bytes; 0: no UTF-8 here
};

Letter letterAt(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t first = byte(0);
    const std::size_t size = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    if (size == 0 || size > text.size())
        return {};
    std::uint32_t code = size == 1 ? first : first & (0xffU >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        if (byte(i) >> 6 != 2)
            return {};
        code = code << 6 | (byte(i) & 0x3fU);
    }
    constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kSmallest[size] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return {};
    return {code, size};
}

bool turnsText(std::uint32_t code)
{
    return code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e)
           || (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(const char* form, std::uint32_t code)
{
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), form, code);
    return text.data();
}

} // namespace

std::string printable(std::string_view text, Newlines newlines, std::size_t maxBytes)
{
    std::string shown;
    const std::size_t whole = text.size();
    std::size_t at = 0;
    while (at < whole && at < maxBytes) {
        const Letter letter = letterAt(text.substr(at));
        if (letter.size == 0)
            shown += escaped("\\x%02x", static_cast<std::uint8_t>(text[at]));
        else if (letter.code == '\n' && newlines == Newlines::Escape)
            shown += "\\n";
        else if ((letter.code < 0x20 && letter.code != '\n' && letter.code != '\t') || letter.code == 0x7f)
            shown += escaped("\\x%02x", letter.code);
        else if ((letter.code >= 0x80 && letter.code < 0xa0) || letter.code == 0x2028 || letter.code == 0x2029
                 || turnsText(letter.code))
            shown += escaped("\\u%04x", letter.code);
        else
            shown += text.substr(at, letter.size);
        at += letter.size == 0 ? 1 : letter.size;
    }
    if (at < whole)
        shown += "... (" + std::to_string(whole - at) + " more bytes)";
    return shown;
}

std::string printableJson(std::string json)
{
    const auto next = [&](std::size_t from) { return json.find_first_of("\x7f\xc2\xd8\xe2", from); };
    if (next(0) == std::string::npos)
        return json;
    std::string shown;
    std::size_t done = 0;
    for (std::size_t at = next(0); at != std::string::npos; at = next(at + 1)) {
        const Letter letter = letterAt(std::string_view(json).substr(at));
        if (letter.code != 0x7f && !(letter.code >= 0x80 && letter.code < 0xa0) && !turnsText(letter.code))
            continue;
        shown.append(json, done, at - done);
        shown += escaped("\\u%04x", letter.code);
        done = at + letter.size;
        at += letter.size - 1;
    }
    return shown.append(json, done);
}

} // namespace headscope
