// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/python/pytext.h"

#include <unicode/locid.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <cassert>
#include <cstdint>

// ICU's macros narrow to bytes inside.
#pragma GCC diagnostic ignored "-Wconversion"

namespace headscope::tasks {

namespace {

using Offset = std::int64_t;

// The code point at `i`, which moves behind it.
UChar32 next(std::string_view text, Offset& i)
{
    UChar32 c = 0;
    const char* const bytes = text.data();
    const auto size = static_cast<Offset>(text.size());
    U8_NEXT_OR_FFFD(bytes, i, size, c);
    return c;
}

template <typename Keep> std::string filtered(std::string_view text, Keep keep)
{
    std::string result;
    result.reserve(text.size());
    for (Offset i = 0; i < std::ssize(text);) {
        const Offset begin = i;
        if (keep(next(text, i)))
            result.append(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(i - begin)));
    }
    return result;
}

} // namespace

std::string_view lstrip(std::string_view text)
{
    Offset i = 0;
    while (i < std::ssize(text)) {
        const Offset begin = i;
        if (!u_isspace(next(text, i)))
            return text.substr(static_cast<std::size_t>(begin));
    }
    return {};
}

std::string_view rstrip(std::string_view text)
{
    while (!text.empty()) {
        std::size_t begin = text.size() - 1; // of the last code point: at most three continuation bytes back
        for (int back = 0; back < 3 && begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80; ++back)
            --begin;
        auto i = static_cast<Offset>(begin);
        if (!u_isspace(next(text, i)) || i != std::ssize(text))
            break;
        text = text.substr(0, begin);
    }
    return text;
}

std::string_view strip(std::string_view text)
{
    return lstrip(rstrip(text));
}

std::vector<std::string> splitWhitespace(std::string_view text)
{
    std::vector<std::string> words;
    std::string word;
    for (Offset i = 0; i < std::ssize(text);) {
        const Offset begin = i;
        if (!u_isspace(next(text, i))) {
            word.append(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(i - begin)));
        } else if (!word.empty()) {
            words.push_back(std::move(word));
            word.clear();
        }
    }
    if (!word.empty())
        words.push_back(std::move(word));
    return words;
}

int codePoints(std::string_view text)
{
    int count = 0;
    for (const char byte : text)
        count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
    return count;
}

std::string replaceAll(std::string_view text, std::string_view from, std::string_view to)
{
    assert(!from.empty());
    std::string result;
    std::size_t begin = 0;
    for (std::size_t hit = text.find(from); hit != std::string_view::npos; hit = text.find(from, begin)) {
        result.append(text.substr(begin, hit - begin)).append(to);
        begin = hit + from.size();
    }
    return result.append(text.substr(begin));
}

std::string lower(std::string_view text)
{
    std::string result;
    icu::UnicodeString unicode =
        icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int>(text.size())));
    unicode.toLower(icu::Locale::getRoot());
    unicode.toUTF8String(result);
    return result;
}

std::string capitalize(std::string_view text)
{
    if (text.empty())
        return {};
    Offset first = 0;
    (void)next(text, first);
    const auto cut = static_cast<std::size_t>(first);
    icu::UnicodeString head = icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int>(cut)));
    head.toTitle(nullptr, icu::Locale::getRoot(), U_TITLECASE_NO_BREAK_ADJUSTMENT);
    std::string result;
    head.toUTF8String(result);
    // Lower-cased together with the first character, because a final sigma looks at what stands before it.
    return result.append(lower(text), lower(text.substr(0, cut)).size());
}

std::string withoutAsciiPunctuation(std::string_view text)
{
    constexpr std::string_view kPunctuation = R"(!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~)";
    return filtered(text,
                    [&](UChar32 c) { return c > 127 || kPunctuation.find(static_cast<char>(c)) == kPunctuation.npos; });
}

std::string withoutUnicodePunctuation(std::string_view text)
{
    return filtered(text, [](UChar32 c) { return (U_GET_GC_MASK(c) & U_GC_P_MASK) == 0; });
}

std::size_t findInvalidUtf8(std::string_view bytes)
{
    const char* const data = bytes.data();
    const auto size = static_cast<Offset>(bytes.size());
    for (Offset i = 0; i < size;) {
        const Offset begin = i;
        UChar32 c = 0;
        U8_NEXT(data, i, size, c);
        if (c < 0)
            return static_cast<std::size_t>(begin);
    }
    return std::string_view::npos;
}

std::string excerpt(std::string_view text, int limit)
{
    std::string result;
    Offset i = 0;
    for (int count = 0; i < std::ssize(text); ++count) {
        if (count == limit)
            return result + "\xE2\x80\xA6";
        const Offset begin = i;
        const UChar32 c = next(text, i);
        if (c < 32 || c == 127)
            result += ' ';
        else if (c == 0xFFFD)
            result += '?';
        else
            result.append(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(i - begin)));
    }
    return result;
}

} // namespace headscope::tasks
