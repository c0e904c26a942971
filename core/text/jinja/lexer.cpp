// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/jinja/lexer.h"

#include "core/text/jinja/value.h"
#include "core/text/unicode/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace headscope::text::jinja {

namespace {

constexpr std::string_view kBrackets = "()[]{}";

bool digit(char c)
{
    return c >= '0' && c <= '9';
}
bool beginsName(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

class Lexer
{
public:
    explicit Lexer(std::string source) : m_source(std::move(source)) {}

    std::vector<Token> run()
    {
        while (m_at < m_source.size())
            data();
        add(Token::Kind::End, {});
        return std::move(m_tokens);
    }

private:
    void add(Token::Kind kind, std::string text) { m_tokens.push_back({kind, std::move(text), m_line}); }
    void advance(std::size_t to)
    {
        m_line += static_cast<int>(std::count(m_source.begin() + static_cast<std::ptrdiff_t>(m_at),
                                              m_source.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
        m_at = to;
    }
    [[nodiscard]] char at(std::size_t i) const { return i < m_source.size() ? m_source[i] : '\0'; }
    [[nodiscard]] bool is(std::size_t i, std::string_view text) const
    {
        return m_source.compare(i, text.size(), text) == 0;
    }
    [[nodiscard]] std::size_t blanksEnd(std::size_t i) const
    {
        const std::string_view rest = std::string_view(m_source).substr(i);
        return i + rest.size() - strip(rest, nullptr, true, false).size();
    }

    /// Text up to a tag, and the tag.
    void data()
    {
        std::size_t tag = m_at;
        do {
            tag = m_source.find('{', tag);
        } while (tag != m_source.npos && at(tag + 1) != '{' && at(tag + 1) != '%' && at(tag + 1) != '#' && ++tag);
        const std::size_t end = std::min(tag, m_source.size());
        std::string_view text = std::string_view(m_source).substr(m_at, end - m_at);
        if (end == m_source.size()) {
            pass(text, end);
            return;
        }
        const char kind = at(tag + 1);
        const char sign = at(tag + 2);
        if (sign == '-') {
            text = strip(text, nullptr, false, true);
        } else if (sign != '+' && kind != '{') {
            const std::size_t line = text.rfind('\n') + 1; // npos + 1 is 0
            if ((line > 0 || m_atLineStart) && strip(text.substr(line), nullptr, true, false).empty())
                text = text.substr(0, line);
        }
        pass(text, end);
        const std::size_t inside = tag + (sign == '-' || (sign == '+' && kind != '{') ? 3 : 2);
        if (kind == '#')
            comment(inside);
        else if (kind == '{')
            expression(inside, Token::Kind::PrintBegin, Token::Kind::PrintEnd);
        else if (!raw(inside))
            expression(inside, Token::Kind::BlockBegin, Token::Kind::BlockEnd);
    }
    void pass(std::string_view text, std::size_t end)
    {
        if (!text.empty())
            add(Token::Kind::Data, std::string(text));
        advance(end);
    }

    /// Behind the end of a tag: the white space that goes with it.
    void after(std::size_t end, char sign, bool block)
    {
        if (sign == '-')
            end = blanksEnd(end);
        else if (block && sign != '+' && at(end) == '\n')
            ++end;
        advance(end);
        m_atLineStart = m_source[end - 1] == '\n';
    }

    void comment(std::size_t inside)
    {
        const std::size_t end = m_source.find("#}", inside);
        if (end == m_source.npos)
            fail(fmt::format("line {} begins a comment that does not end", m_line));
        after(end + 2, end > inside ? m_source[end - 1] : '\0', true);
    }

    bool raw(std::size_t inside)
    {
        std::size_t i = blanksEnd(inside);
        if (!is(i, "raw"))
            return false;
        i = blanksEnd(i + 3);
        const bool trimmed = is(i, "-%}");
        if (!trimmed && !is(i, "%}"))
            return false;
        i = trimmed ? blanksEnd(i + 3) : i + 2;
        for (std::size_t end = i; (end = m_source.find("{%", end)) != m_source.npos; end += 2) {
            const char sign = at(end + 2);
            std::size_t k = blanksEnd(end + (sign == '-' || sign == '+' ? 3 : 2));
            if (!is(k, "endraw"))
                continue;
            k = blanksEnd(k + 6);
            const char close = at(k);
            if (close == '-' || close == '+')
                ++k;
            if (!is(k, "%}"))
                continue;
            std::string_view text = std::string_view(m_source).substr(i, end - i);
            const std::size_t line = text.rfind('\n') + 1;
            if (sign == '-')
                text = strip(text, nullptr, false, true);
            else if (sign != '+' && line > 0 && strip(text.substr(line), nullptr, true, false).empty())
                text = text.substr(0, line);
            if (!text.empty())
                add(Token::Kind::Data, std::string(text));
            after(k + 2, close, true);
            return true;
        }
        fail(fmt::format("line {} begins a raw block that does not end", m_line));
    }

    void expression(std::size_t inside, Token::Kind begin, Token::Kind end)
    {
        add(begin, {});
        advance(inside);
        const std::string_view close = end == Token::Kind::PrintEnd ? "}}" : "%}";
        std::string open; // brackets that are open
        for (;;) {
            advance(blanksEnd(m_at));
            if (m_at >= m_source.size())
                fail(fmt::format("line {} has a tag that does not end", m_line));
            const char sign = at(m_at);
            const bool signedEnd = (sign == '-' || (sign == '+' && close == "%}")) && is(m_at + 1, close);
            if (open.empty() && (signedEnd || is(m_at, close))) {
                add(end, {});
                after(m_at + close.size() + (signedEnd ? 1 : 0), signedEnd ? sign : '\0', close == "%}");
                return;
            }
            token(open);
        }
    }

    void token(std::string& open)
    {
        const char c = at(m_at);
        if (c == '"' || c == '\'') {
            string(c);
        } else if (digit(c)) {
            number();
        } else if (beginsName(c)) {
            std::size_t end = m_at;
            while (beginsName(at(end)) || digit(at(end)))
                ++end;
            add(Token::Kind::Name, m_source.substr(m_at, end - m_at));
            advance(end);
        } else {
            sign(open);
        }
    }

    void sign(std::string& open)
    {
        static constexpr std::array<std::string_view, 23> kSigns = {"==", "!=", "<=", ">=", "**", "//", "+", "-",
                                                                    "*",  "/",  "%",  "~",  "<",  ">",  "=", "(",
                                                                    ")",  "[",  "]",  "{",  "}",  "|",  ","};
        std::string_view found;
        for (const std::string_view s : kSigns)
            if (found.empty() && is(m_at, s))
                found = s;
        if (found.empty() && (at(m_at) == '.' || at(m_at) == ':'))
            found = std::string_view(m_source).substr(m_at, 1);
        if (found.empty())
            fail(fmt::format("line {} has an unexpected character '{}'", m_line,
                             characters(std::string_view(m_source).substr(m_at)).front()));
        const std::size_t bracket = found.size() == 1 ? kBrackets.find(found) : kBrackets.npos;
        if (bracket != kBrackets.npos && bracket % 2 == 0) {
            open += found;
        } else if (bracket != kBrackets.npos) {
            if (open.empty() || open.back() != kBrackets[bracket - 1])
                fail(fmt::format("line {} has an unexpected '{}'", m_line, found));
            open.pop_back();
        }
        add(Token::Kind::Operator, std::string(found));
        advance(m_at + found.size());
    }

    void number()
    {
        std::size_t end = m_at;
        std::string text;
        bool real = false;
        const auto digits = [&] {
            while (digit(at(end)) || (at(end) == '_' && digit(at(end + 1)))) {
                if (at(end) != '_')
                    text += at(end);
                ++end;
            }
        };
        digits();
        if (at(end) == '.' && digit(at(end + 1))) {
            real = true;
            text += at(end++);
            digits();
        }
        const bool exponentSign = at(end + 1) == '-' || at(end + 1) == '+';
        if ((at(end) == 'e' || at(end) == 'E') && digit(at(end + (exponentSign ? 2 : 1)))) {
            real = true;
            text += at(end++);
            if (exponentSign)
                text += at(end++);
            digits();
        }
        add(real ? Token::Kind::Float : Token::Kind::Integer, text);
        advance(end);
    }

    /// A string with Python's escapes.
    void string(char quote)
    {
        std::string text;
        std::size_t i = m_at + 1;
        const auto code = [&](std::size_t from, std::size_t count, int base) {
            const std::string written = m_source.substr(from, count);
            const bool sound =
                written.size() == count && std::ranges::all_of(written, [&](char c) {
                    return base == 8 ? c >= '0' && c < '8' : std::isxdigit(static_cast<unsigned char>(c)) != 0;
                });
            const unsigned long value = sound ? std::stoul(written, nullptr, base) : 0x110000;
            if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
                fail(fmt::format("line {} has an escape '\\{}' that is not a character", m_line, written));
            appendUtf8(text, static_cast<char32_t>(value));
        };
        for (;; ++i) {
            if (i >= m_source.size())
                fail(fmt::format("line {} has a string that does not end", m_line));
            const char c = m_source[i];
            if (c == quote)
                break;
            if (c != '\\') {
                text += c;
                continue;
            }
            const char e = at(++i);
            constexpr std::string_view kFrom = "\\'\"abfnrtv";
            constexpr std::string_view kTo = "\\'\"\a\b\f\n\r\t\v";
            if (const std::size_t k = kFrom.find(e); k != kFrom.npos && e != '\0') {
                text += kTo[k];
            } else if (e == 'x' || e == 'u' || e == 'U') {
                const std::size_t count = e == 'x' ? 2 : e == 'u' ? 4 : 8;
                code(i + 1, count, 16);
                i += count;
            } else if (e >= '0' && e < '8') {
                std::size_t count = 1;
                while (count < 3 && at(i + count) >= '0' && at(i + count) < '8')
                    ++count;
                code(i, count, 8);
                i += count - 1;
            } else if (e != '\n') { // a line break behind a backslash is nothing
                text += '\\';
                text += e;
            }
        }
        add(Token::Kind::String, text);
        advance(i + 1);
    }

    std::string m_source;
    std::size_t m_at = 0;
    int m_line = 1;
    bool m_atLineStart = true;
    std::vector<Token> m_tokens;
};

} // namespace

std::vector<Token> tokenize(std::string_view source)
{
    std::string text; // line breaks as "\n", without the last
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != '\r')
            text += source[i];
        else if (i + 1 == source.size() || source[i + 1] != '\n')
            text += '\n';
    }
    if (text.ends_with('\n'))
        text.pop_back();
    return Lexer(std::move(text)).run();
}

} // namespace headscope::text::jinja
