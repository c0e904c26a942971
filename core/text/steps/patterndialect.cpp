// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/steps/patterndialect.h"

#include "core/text/unicode/utf8.h"

#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace headscope::text {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isHexadecimal(std::string_view digits)
{
    return !digits.empty() && std::ranges::all_of(digits, [](char c) {
        return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
}

bool isName(std::string_view name)
{
    return !name.empty() && !isDigit(name.front()) && std::ranges::all_of(name, [](char c) {
        return isDigit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
}

/// Characters whose case folding has several characters, such as "\u00df" and "ss". PCRE2 does not support these.
class SeveralFolds
{
public:
    static const SeveralFolds& all()
    {
        static const SeveralFolds kAll;
        return kAll;
    }
    /// Returns whether a character from `first` to `last` folds to several.
    [[nodiscard]] bool within(char32_t first, char32_t last) const
    {
        const auto at = std::ranges::lower_bound(m_characters, first);
        return at != m_characters.end() && *at <= last;
    }
    /// Returns whether the two start a multi-character folding.
    [[nodiscard]] bool begin(char32_t first, char32_t second) const
    {
        return m_pairs.contains({folded(first), folded(second)});
    }

private:
    SeveralFolds()
    {
        for (UChar32 c = 0x80; c < 0x20000; ++c) {
            if (u_hasBinaryProperty(c, UCHAR_CHANGES_WHEN_CASEFOLDED) == 0)
                continue;
            UChar own[2] = {}, several[8] = {};
            std::int32_t length = 0;
            UErrorCode status = U_ZERO_ERROR;
            U16_APPEND_UNSAFE(own, length, c);
            const std::int32_t units = u_strFoldCase(several, 8, own, length, U_FOLD_CASE_DEFAULT, &status);
            if (U_FAILURE(status) || u_countChar32(several, units) < 2)
                continue;
            m_characters.push_back(static_cast<char32_t>(c));
            m_pairs.emplace(several[0], several[1]); // all of these are in the first plane
        }
    }
    static char32_t folded(char32_t c)
    {
        return static_cast<char32_t>(u_foldCase(static_cast<UChar32>(c), U_FOLD_CASE_DEFAULT));
    }

    std::vector<char32_t> m_characters;
    std::set<std::pair<char32_t, char32_t>> m_pairs;
};

class DialectTranslator
{
public:
    DialectTranslator(std::string_view expression, bool (*isScript)(const std::string&))
        : m_in(expression), m_isScript(isScript)
    {
    }

    TranslatedPattern run()
    {
        while (m_at < m_in.size() && m_refused.empty())
            readOne();
        m_out.append(m_groups.front().closing, ')');
        return {std::move(m_out), std::move(m_refused)};
    }

private:
    static constexpr std::size_t kNone = std::string_view::npos;

    struct Group {
        std::size_t begin = kNone; ///< in the output
        bool ignoresCase = false;
        bool extended = false;
        std::size_t closing = 0; ///< brackets to add at its end
    };

    [[nodiscard]] char peek(std::size_t ahead = 0) const
    {
        return m_at + ahead < m_in.size() ? m_in[m_at + ahead] : '\0';
    }
    void refuse(std::string_view what) { m_refused = what; }
    void copy(std::size_t count)
    {
        m_out += m_in.substr(m_at, count);
        m_at += std::min(count, m_in.size() - m_at);
    }

    void readOne();
    void open();
    void openOptions();
    void close();
    void quantifier();
    [[nodiscard]] std::size_t interval(std::string* bounds = nullptr) const;
    void characterClass();
    void character(bool inClass);
    void writeLiteral(char32_t c, bool inClass);
    void escape(bool inClass);
    void property(bool inClass);
    void codePoint(bool inClass);
    void comment(std::size_t end);

    std::string_view m_in;
    bool (*m_isScript)(const std::string&);
    std::size_t m_at = 0;
    std::string m_out;
    std::string m_refused;
    char32_t m_literal = 0;     ///< the previous character if it is a literal
    char32_t m_rangeFrom = 0;   ///< start of a character range whose end has not been read
    std::size_t m_atom = kNone; ///< start in the output of the part that a quantifier here would repeat
    std::vector<Group> m_groups{Group()};
};

void DialectTranslator::readOne()
{
    const char c = peek();
    const std::size_t begin = m_out.size();
    const char32_t before = std::exchange(m_literal, 0);
    if (m_groups.back().extended && c == '#')
        return comment(m_in.find('\n', m_at));
    if (m_groups.back().extended && (c == ' ' || (c >= '\t' && c <= '\r')))
        return comment(m_at + 1);
    switch (c) {
    case '(': return open();
    case ')': return close();
    case '*':
    case '+':
    case '?': return quantifier();
    case '|':
        copy(1);
        m_atom = kNone;
        return;
    case '{':
        if (interval() > 0)
            return quantifier();
        m_out += "\\{"; // later versions of PCRE2 read more of these as a repetition
        ++m_at;
        break;
    case '[': characterClass(); break;
    default: m_literal = before; c == '\\' ? escape(false) : character(false);
    }
    m_atom = begin;
}

/// Copies text that both ignore: a quantifier after it applies to what is before it. A second quantifier is refused,
/// because PCRE2 treats "a+ +" as the possessive "a++".
void DialectTranslator::comment(std::size_t end)
{
    copy(std::min(end, m_in.size()) - m_at);
}

void DialectTranslator::open()
{
    Group group = m_groups.back();
    group.begin = m_out.size();
    group.closing = 1;
    std::size_t length = 1;
    if (peek(1) == '*')
        return refuse("a verb");
    if (peek(1) == '?') {
        const char kind = peek(2), next = peek(3);
        if (kind == 'i' || kind == 'm' || kind == 'x' || kind == '-')
            return openOptions();
        if (kind == '#') {
            const std::size_t end = m_in.find(')', m_at);
            if (end == kNone || m_in.substr(m_at, end - m_at).find('\\') != kNone)
                return refuse("a comment with '\\' or without a closing ')'");
            return comment(end + 1);
        }
        if (kind == ':' || kind == '=' || kind == '!' || kind == '>') {
            length = 3;
        } else if (kind == '<' && (next == '=' || next == '!')) {
            length = 4;
        } else if (const std::size_t end = m_in.find('>', m_at);
                   kind == '<' && end != kNone && isName(m_in.substr(m_at + 3, end - m_at - 3))) {
            length = end + 1 - m_at;
        } else {
            return refuse(fmt::format("a group that begins with '(?{}'", kind == '\0' ? ' ' : kind));
        }
    }
    copy(length);
    m_groups.push_back(group);
    m_atom = kNone;
}

/// `(?i:...)` and `(?i)`, which in Ruby's syntax includes all alternatives to the end of its group. Ruby's m is PCRE2's
/// s.
void DialectTranslator::openOptions()
{
    std::size_t end = m_at + 2;
    std::string options = "(?";
    Group group = m_groups.back();
    bool on = true;
    for (; end < m_in.size() && m_in[end] != ')' && m_in[end] != ':'; ++end) {
        const char option = m_in[end];
        if ((option != 'i' && option != 'm' && option != 'x' && (option != '-' || !on))
            || options.find(option == 'm' ? 's' : option) != kNone)
            return refuse("options other than i, m and x, each once");
        if (option == '-')
            on = false;
        else if (option == 'i')
            group.ignoresCase = on;
        else if (option == 'x')
            group.extended = on;
        options += option == 'm' ? 's' : option;
    }
    const bool isolated = end < m_in.size() && m_in[end] == ')';
    group.closing = isolated ? group.closing + 1 : 1;
    if (!isolated)
        group.begin = m_out.size();
    if (isolated)
        m_groups.back() = group;
    else
        m_groups.push_back(group);
    m_out += options + ":";
    m_at = std::min(end + 1, m_in.size());
    m_atom = kNone;
}

void DialectTranslator::close()
{
    if (m_groups.size() == 1)
        return refuse("an unmatched ')'");
    m_out.append(m_groups.back().closing, ')');
    m_atom = m_groups.back().begin;
    m_groups.pop_back();
    ++m_at;
}

/// Returns the length of `{n}`, `{n,}`, `{n,m}` or `{,m}` here and its PCRE2 form; 0 for a literal '{'.
std::size_t DialectTranslator::interval(std::string* bounds) const
{
    std::size_t at = m_at;
    const auto digits = [&] {
        const std::size_t begin = ++at;
        while (at < m_in.size() && isDigit(m_in[at]))
            ++at;
        return m_in.substr(begin, at - begin);
    };
    if (peek() != '{')
        return 0;
    const std::string_view low = digits();
    const bool range = at < m_in.size() && m_in[at] == ',';
    const std::string_view high = range ? digits() : std::string_view();
    if (at >= m_in.size() || m_in[at] != '}' || (low.empty() && high.empty()))
        return 0;
    if (bounds != nullptr)
        *bounds = fmt::format("{{{}{}{}}}", low.empty() ? "0" : low, range ? "," : "", high);
    return at + 1 - m_at;
}

/// In Ruby syntax, intervals have no possessive form and fixed counts no lazy one: a following quantifier repeats them
/// again.
void DialectTranslator::quantifier()
{
    if (m_atom == kNone)
        return refuse("a quantifier with nothing to repeat or after another one");
    std::string bounds;
    const std::size_t length = interval(&bounds);
    if (length == 0) {
        copy(1);
        if (peek() == '?' || peek() == '+')
            copy(1);
        m_atom = kNone;
        return;
    }
    m_at += length;
    m_out += bounds;
    if (peek() == '?' && bounds.find(',') != kNone)
        copy(1);
    if (peek() == '?' || peek() == '+' || peek() == '*' || interval() > 0) {
        m_out.insert(m_atom, "(?:");
        m_out += ')';
    } else {
        m_atom = kNone;
    }
}

void DialectTranslator::characterClass()
{
    m_rangeFrom = 0;
    copy(peek(1) == '^' ? 2 : 1);
    if (peek() == ']')
        copy(1);
    while (m_at < m_in.size() && m_refused.empty()) {
        const char c = peek();
        if (c == '\\') {
            escape(true);
        } else if (c == '[') {
            refuse("nested classes");
        } else if (c == '&' && peek(1) == '&') {
            refuse("class intersections");
        } else if (c == ']') {
            copy(1);
            break;
        } else if (c == '-' && m_literal != 0) {
            m_rangeFrom = std::exchange(m_literal, 0);
            copy(1);
        } else {
            character(true);
        }
    }
    m_literal = 0;
}

void DialectTranslator::character(bool inClass)
{
    std::size_t end = m_at;
    const char32_t c = nextCharacter(m_in, end);
    if (m_groups.back().extended && !inClass && c >= 0x80
        && (u_isUWhiteSpace(static_cast<UChar32>(c)) != 0 || c == 0x200E || c == 0x200F))
        return refuse("non-ASCII white space in an extended expression");
    writeLiteral(c, inClass);
    copy(end - m_at);
}

/// Refuses a literal, or the range that it ends, if PCRE2 would ignore its multi-character case folding.
void DialectTranslator::writeLiteral(char32_t c, bool inClass)
{
    const char32_t from = std::exchange(m_rangeFrom, 0);
    const char32_t before = std::exchange(m_literal, c);
    if (!m_groups.back().ignoresCase)
        return;
    const SeveralFolds& folds = SeveralFolds::all();
    if (folds.within(from != 0 ? from : c, c) || (!inClass && before != 0 && folds.begin(before, c)))
        refuse("a case-insensitive character that folds to several");
}

/// Reads an escape after '\'. Only escapes with the same meaning in both, or a certain translation, are accepted.
void DialectTranslator::escape(bool inClass)
{
    if (m_at + 1 == m_in.size())
        return refuse("a trailing '\\'");
    const char c = peek(1);
    const std::string_view same = inClass ? "tnrfaedDsS" : "tnrfaedDsSAZzRX";
    if (c == 'p' || c == 'P')
        return property(inClass);
    if (c == 'u' || c == 'x')
        return codePoint(inClass);
    const char32_t before = std::exchange(m_literal, 0);
    if (c == 'h' || c == 'H')
        return refuse("\\h");
    if (c == 'w' || c == 'W' || c == 'b' || c == 'B')
        return refuse("\\w or \\b");
    if (c == 'v') { // in PCRE2 any vertical space
        m_out += "\\x0b";
        m_at += 2;
    } else if (c == '0') {
        copy(2);
        for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i)
            copy(1);
    } else if (c == 'k' && !inClass) {
        const std::size_t end = m_in.find('>', m_at);
        if (peek(2) != '<' || end == kNone || !isName(m_in.substr(m_at + 3, end - m_at - 3)))
            return refuse("\\k without a name");
        copy(end + 1 - m_at);
    } else if (isDigit(c) && (inClass || isDigit(peek(2)))) {
        refuse("an octal escape");
    } else if (isName(std::string_view(&c, 1)) && c != '_' && same.find(c) == kNone) {
        refuse(fmt::format("\\{}", c));
    } else {
        std::size_t end = m_at + 1;
        const char32_t itself = nextCharacter(m_in, end);
        if (same.find(c) == kNone && !isDigit(c)) {
            m_literal = before;
            writeLiteral(itself, inClass);
        }
        copy(end - m_at);
    }
}

void DialectTranslator::property(bool inClass)
{
    m_literal = 0;
    const std::size_t end = m_in.find('}', m_at);
    if (peek(2) != '{' || end == kNone)
        return refuse("\\p without '{' and '}'");
    const bool negated = peek(3) == '^';
    const std::size_t begin = m_at + (negated ? 4 : 3);
    const std::string name(m_in.substr(begin, end - begin));
    m_out += m_in.substr(m_at, begin - m_at);
    // In PCRE2 a bare script name includes script extensions, such as punctuation shared with other scripts.
    if (name.size() > 2 && m_isScript(name))
        m_out += "sc:";
    m_out += name + "}";
    // Oniguruma folds case for the whole class: [\p{Lu}] then includes lower-case letters, and [\p{L}] a combining
    // mark that folds to one.
    if (inClass && m_groups.back().ignoresCase) {
        if (name == "L" && !negated && m_in[m_at + 1] == 'p')
            m_out += "\\x{345}";
        else if (name.find_first_of("NPZ") != 0 || name.size() > 2)
            return refuse("a property in a case-insensitive class");
    }
    m_at = end + 1;
}

/// `\u3042`, `\x7F` and `\x{3042}`. A number above 7F without brackets is a byte in Oniguruma.
void DialectTranslator::codePoint(bool inClass)
{
    std::size_t begin = m_at + 2, end = begin + 2;
    if (peek(1) == 'u') {
        end = begin + 4;
    } else if (peek(2) == '{') {
        ++begin;
        end = m_in.find('}', begin);
    }
    const std::string_view digits = end <= m_in.size() ? m_in.substr(begin, end - begin) : std::string_view();
    if (!isHexadecimal(digits) || digits.size() > 6)
        return refuse("\\x or \\u without a hexadecimal number");
    const auto code = static_cast<char32_t>(std::stoul(std::string(digits), nullptr, 16));
    if (peek(1) == 'x' && peek(2) != '{' && code > 0x7F)
        return refuse("\\x with a byte beyond ASCII");
    writeLiteral(code, inClass);
    m_out += fmt::format("\\x{{{}}}", digits);
    m_at = end + (peek(1) == 'x' && peek(2) == '{' ? 1 : 0);
}

} // namespace

TranslatedPattern translatePattern(std::string_view expression, bool (*isScript)(const std::string&))
{
    return DialectTranslator(expression, isScript).run();
}

} // namespace headscope::text
