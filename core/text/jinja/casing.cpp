// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/jinja/casing.h"

#include "core/text/unicode/utf8.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

namespace headscope::text::jinja {

namespace {

std::string utf8(const icu::UnicodeString& text)
{
    std::string out;
    return text.toUTF8String(out);
}

icu::UnicodeString unicode(std::string_view text)
{
    return icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int>(text.size())));
}

/// One character as it begins a word.
std::string titleCase(std::string_view character)
{
    std::size_t i = 0;
    const auto c = static_cast<UChar32>(nextCharacter(character, i));
    const UChar32 title = u_totitle(c);
    std::string out;
    if (title == c && u_toupper(c) == c)
        return upper(character); // a sharp s becomes two letters
    appendUtf8(out, static_cast<char32_t>(title));
    return out;
}

} // namespace

std::string upper(std::string_view text)
{
    return utf8(unicode(text).toUpper(icu::Locale::getRoot()));
}

std::string lower(std::string_view text)
{
    return utf8(unicode(text).toLower(icu::Locale::getRoot()));
}

std::string capitalized(std::string_view text)
{
    if (text.empty())
        return {};
    const std::size_t first = utf8Length(static_cast<unsigned char>(text[0]));
    return titleCase(text.substr(0, first)) + lower(text.substr(first));
}

std::string titled(std::string_view text)
{
    std::string out;
    bool inside = false;
    for (const std::string_view character : characters(text)) {
        std::size_t i = 0;
        const auto c = static_cast<UChar32>(nextCharacter(character, i));
        out += inside ? lower(character) : titleCase(character);
        inside = u_isupper(c) != 0 || u_islower(c) != 0 || u_istitle(c) != 0;
    }
    return out;
}

std::vector<std::string_view> splitLines(std::string_view text, bool keepEnds)
{
    std::vector<std::string_view> lines;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = i;
        const char32_t c = nextCharacter(text, i);
        if (!(c >= '\n' && c <= '\r') && !(c >= 0x1C && c <= 0x1E) && c != 0x85 && c != 0x2028 && c != 0x2029)
            continue;
        if (c == '\r' && i < text.size() && text[i] == '\n')
            ++i;
        lines.push_back(text.substr(begin, (keepEnds ? i : end) - begin));
        begin = i;
    }
    if (begin < text.size())
        lines.push_back(text.substr(begin));
    return lines;
}

std::string replaced(const std::string& text, const std::string& from, const std::string& to, std::int64_t count,
                     Budget& budget)
{
    constexpr std::size_t kEnough = 16u << 20; // more is refused at the end
    std::string out;
    std::size_t at = 0;
    for (; count != 0 && out.size() <= kEnough; --count) {
        if (from.empty()) {
            out += to;
            if (at >= text.size())
                break;
            const std::size_t length = utf8Length(static_cast<unsigned char>(text[at]));
            out.append(text, at, length);
            at += length;
            continue;
        }
        const std::size_t found = text.find(from, at);
        if (found == text.npos)
            break;
        out.append(text, at, found - at);
        out += to;
        at = found + from.size();
    }
    out.append(text, std::min(at, text.size()));
    budget.work(out.size());
    return out;
}

} // namespace headscope::text::jinja
