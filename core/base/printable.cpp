// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/printable.h"

#include <unicode/uchar.h>

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

std::uint32_t categoryOf(std::uint32_t code)
{
    return U_GET_GC_MASK(static_cast<UChar32>(code));
}

bool cannotBeSeen(std::uint32_t code)
{
    if (code < 0x80)
        return code < 0x20 || code == 0x7f;
    constexpr std::uint32_t kNoBlankPattern = 0x2800;
    return (categoryOf(code) & (U_GC_C_MASK | U_GC_ZL_MASK | U_GC_ZP_MASK)) != 0 || code == kNoBlankPattern
           || u_hasBinaryProperty(static_cast<UChar32>(code), UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0;
}

/// Joiners and variation selectors choose the form of the letter or symbol before them.
bool choosesForm(std::uint32_t code)
{
    return code == 0x200c || code == 0x200d || code == 0xfe0e || code == 0xfe0f;
}

/// Whether such a character belongs to the one before.
bool hasForms(std::uint32_t code)
{
    return code < 0x80 ? (code >= '0' && code <= '9') || ((code | 0x20U) >= 'a' && (code | 0x20U) <= 'z')
                       : !cannotBeSeen(code) && (categoryOf(code) & (U_GC_Z_MASK | U_GC_P_MASK)) == 0;
}

std::string escaped(const char* form, std::uint32_t code)
{
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), form, code);
    return text.data();
}

} // namespace

std::string visible(std::string_view token)
{
    std::string shown;
    bool alone = true; // nothing before that a mark could combine with
    while (!token.empty()) {
        const Letter letter = letterAt(token);
        const std::size_t size = letter.size == 0 ? 1 : letter.size;
        const bool blank = letter.code == ' ' || letter.code == '\t' || letter.code == '\n' || letter.code == '\r';
        const bool marked = letter.size == 0
                            || (!blank && (cannotBeSeen(letter.code) || (categoryOf(letter.code) & U_GC_ZS_MASK) != 0));
        if (letter.size == 0)
            shown += escaped("<0x%02X>", static_cast<std::uint8_t>(token[0]));
        else if (marked)
            shown += escaped("<U+%04X>", letter.code);
        else if (alone && (categoryOf(letter.code) & U_GC_M_MASK) != 0)
            shown.append("\u25cc").append(token.substr(0, size));
        else
            shown += token.substr(0, size);
        alone = marked || blank;
        token.remove_prefix(size);
    }
    return shown;
}

std::string printable(std::string_view text, Newlines newlines, std::size_t maxBytes)
{
    std::string shown;
    const std::size_t whole = text.size();
    std::size_t at = 0;
    std::uint32_t before = ' ';
    while (at < whole && at < maxBytes) {
        const Letter letter = letterAt(text.substr(at));
        if (letter.size == 0)
            shown += escaped("\\x%02x", static_cast<std::uint8_t>(text[at]));
        else if (letter.code == '\n' && newlines == Newlines::Escape)
            shown += "\\n";
        else if (letter.code == '\n' || letter.code == '\t' || !cannotBeSeen(letter.code)
                 || (choosesForm(letter.code) && hasForms(before)))
            shown += text.substr(at, letter.size);
        else
            shown += escaped(letter.code < 0x80      ? "\\x%02x"
                             : letter.code < 0x10000 ? "\\u%04x"
                                                     : "\\U%08x",
                             letter.code);
        if (!choosesForm(letter.code))
            before = letter.size == 0 ? ' ' : letter.code;
        at += letter.size == 0 ? 1 : letter.size;
    }
    if (at < whole)
        shown += "... (" + std::to_string(whole - at) + " more bytes)";
    return shown;
}

std::string printableJson(std::string json)
{
    const auto next = [&](std::size_t from) {
        while (from < json.size() && static_cast<std::uint8_t>(json[from]) < 0x7f)
            ++from;
        return from;
    };
    std::string shown;
    std::size_t done = 0;
    for (std::size_t at = next(0); at < json.size(); at = next(at)) {
        const Letter letter = letterAt(std::string_view(json).substr(at));
        const std::size_t size = letter.size == 0 ? 1 : letter.size;
        if (letter.size > 0 && cannotBeSeen(letter.code)) {
            shown.append(json, done, at - done);
            if (letter.code < 0x10000)
                shown += escaped("\\u%04x", letter.code);
            else
                shown += escaped("\\u%04x", 0xd7c0U + (letter.code >> 10U))
                         + escaped("\\u%04x", 0xdc00U | (letter.code & 0x3ffU));
            done = at + size;
        }
        at += size;
    }
    return shown.append(json, done);
}

} // namespace headscope
