// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/rwkvvocabulary.h"

#include "core/text/unicode/utf8.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace headscope::text {

namespace {

constexpr std::size_t kMostTokens = 1'000'000;

template <typename Number> std::optional<Number> numberIn(std::string_view text, int base = 10)
{
    Number number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return code == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(number)
                                                                                    : std::nullopt;
}

/// Takes the character behind a backslash, and what belongs to it; of a word of bytes \xNN is a byte.
bool unescape(std::string_view& rest, bool bytes, std::string& out)
{
    if (rest.empty())
        return false;
    const char kind = rest.front();
    rest.remove_prefix(1);
    switch (kind) {
    case 'n': out += '\n'; return true;
    case 't': out += '\t'; return true;
    case 'r': out += '\r'; return true;
    case '\\':
    case '\'':
    case '"': out += kind; return true;
    case 'x':
    case 'u':
    case 'U': break;
    default: return false;
    }
    const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
    const auto value = numberIn<std::uint32_t>(rest.substr(0, digits), 16);
    if (rest.size() < digits || !value || *value > 0x10FFFF || (bytes && kind != 'x'))
        return false;
    rest.remove_prefix(digits);
    if (bytes)
        out += static_cast<char>(*value);
    else
        appendUtf8(out, static_cast<char32_t>(*value));
    return true;
}

/// What 'text' or b'bytes', in quotes of either kind, stands for.
std::optional<std::string> literal(std::string_view word)
{
    const bool bytes = word.starts_with('b');
    word.remove_prefix(bytes ? 1 : 0);
    if (word.size() < 2 || word.front() != word.back() || (word.front() != '\'' && word.front() != '"'))
        return std::nullopt;
    const char quote = word.front();
    std::string_view rest = word.substr(1, word.size() - 2);
    std::string out;
    while (!rest.empty()) {
        const char c = rest.front();
        rest.remove_prefix(1);
        if (c == quote || (c == '\\' && !unescape(rest, bytes, out)))
            return std::nullopt;
        if (c != '\\')
            out += c;
    }
    return out;
}

} // namespace

Result<std::vector<std::pair<std::string, std::int64_t>>> readRwkvVocabulary(std::string_view file)
{
    std::vector<std::pair<std::string, std::int64_t>> tokens;
    for (std::size_t number = 1; !file.empty(); ++number) {
        const std::size_t end = std::min(file.find('\n'), file.size());
        std::string_view line = file.substr(0, end);
        file.remove_prefix(std::min(end + 1, file.size()));
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (line.empty())
            continue;
        const std::size_t first = line.find(' '), last = line.rfind(' ');
        const auto id = numberIn<std::int64_t>(line.substr(0, first));
        auto token = first < last ? literal(line.substr(first + 1, last - first - 1)) : std::nullopt;
        if (!id || !token || token->empty() || numberIn<std::size_t>(line.substr(last + 1)) != token->size())
            return inputError(fmt::format(
                "line {} of the vocabulary is not an id, a token as Python writes it, and its number of bytes",
                number));
        if (tokens.size() == kMostTokens)
            return inputError(fmt::format("the vocabulary has more than {} tokens", kMostTokens));
        tokens.emplace_back(*std::move(token), *id);
    }
    if (tokens.empty())
        return inputError("the vocabulary has no tokens");
    return tokens;
}

} // namespace headscope::text
