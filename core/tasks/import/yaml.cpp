// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/yaml.h"

#include "core/tasks/python/pytext.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace headscope::tasks {

using nlohmann::json;

namespace {

constexpr int kDeepest = 32; // values inside values

struct Line {
    int number = 0; // from 1
    std::size_t indent = 0;
    std::string text; // without the indent
};

bool isDigits(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// null, true, 12, 0.5 or a text.
json typed(const std::string& text)
{
    const std::string small = lower(text);
    if (text.empty() || text == "~" || small == "null")
        return nullptr;
    if (small == "true" || small == "yes" || small == "on")
        return true;
    if (small == "false" || small == "no" || small == "off")
        return false;
    std::string_view digits = text;
    if (digits.front() == '-' || digits.front() == '+')
        digits.remove_prefix(1);
    const std::size_t point = digits.find('.');
    const bool whole = isDigits(digits) && (digits.size() == 1 || digits.front() != '0') && digits.size() < 18;
    const bool broken =
        point != digits.npos && (point == 0 || isDigits(digits.substr(0, point))) && isDigits(digits.substr(point + 1));
    if (!whole && !broken)
        return text;
    const char* begin = text.data() + (text.front() == '+' ? 1 : 0);
    if (double value = 0; broken && std::from_chars(begin, text.data() + text.size(), value).ec == std::errc())
        return value;
    std::int64_t value = 0;
    std::from_chars(begin, text.data() + text.size(), value);
    return value;
}

/// Where a comment begins outside quotes, or the end.
std::size_t commentAt(std::string_view text)
{
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '#' && (i == 0 || text[i - 1] == ' '))
            return i;
    return text.size();
}

std::string trimmed(std::string_view text)
{
    return std::string(strip(text));
}

class Reader
{
public:
    explicit Reader(std::string_view text)
    {
        int number = 0;
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            std::string_view line = text.substr(begin, end - begin);
            if (line.ends_with('\r'))
                line.remove_suffix(1);
            const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
            m_lines.push_back({++number, indent, std::string(line.substr(indent))});
            begin = end + 1;
        }
    }

    Result<YamlDocument> document()
    {
        YamlDocument read;
        if (significant() && m_lines[m_at].text == "---")
            ++m_at;
        if (significant() && m_lines[m_at].indent == 0)
            read.value = mapping(0, 0, &read.lines);
        if (!m_error && significant() && m_lines[m_at].text != "...")
            fail(m_lines[m_at].number, "the indent fits nothing before it");
        if (!m_error && !read.value.is_object())
            fail(1, "there is no list of keys and values");
        return m_error ? Result<YamlDocument>(*m_error) : Result<YamlDocument>(std::move(read));
    }

private:
    void fail(int line, const std::string& what)
    {
        if (!m_error)
            m_error = inputError("line " + std::to_string(line) + ": " + what);
    }

    /// Goes to the next line that says something; false at the end.
    bool significant()
    {
        while (m_at < m_lines.size() && (m_lines[m_at].text.empty() || m_lines[m_at].text.front() == '#'))
            ++m_at;
        if (m_at < m_lines.size() && m_lines[m_at].text.front() == '\t')
            fail(m_lines[m_at].number, "a tab stands in the indent");
        return m_at < m_lines.size() && !m_error;
    }

    static bool isItem(const Line& line) { return line.text == "-" || line.text.starts_with("- "); }

    /// Where the colon behind a key is; npos: there is no key.
    static std::size_t colonOf(std::string_view text)
    {
        char quote = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (quote != 0)
                quote = text[i] == quote ? char{0} : quote;
            else if (i == 0 && (text[i] == '"' || text[i] == '\''))
                quote = text[i];
            else if (text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' '))
                return i;
            else if (text[i] == '#' && i > 0 && text[i - 1] == ' ')
                break;
        }
        return std::string_view::npos;
    }

    json block(std::size_t least, int depth)
    {
        if (depth > kDeepest)
            fail(m_lines[m_at].number, "values stand inside each other too deeply");
        if (!significant() || m_lines[m_at].indent < least)
            return nullptr;
        const Line& line = m_lines[m_at];
        if (isItem(line))
            return sequence(line.indent, depth);
        if (line.text.front() != '[' && line.text.front() != '{' && colonOf(line.text) != std::string::npos)
            return mapping(line.indent, depth, nullptr);
        const Line first = m_lines[m_at++];
        return value(first.text, first.number, least, depth);
    }

    json mapping(std::size_t indent, int depth, std::map<std::string, int>* lines)
    {
        json object = json::object();
        while (significant() && m_lines[m_at].indent == indent && !isItem(m_lines[m_at])) {
            const Line line = m_lines[m_at];
            if (line.text == "..." && indent == 0)
                break;
            const std::size_t colon = colonOf(line.text);
            if (colon == std::string::npos) {
                fail(line.number, "expected 'key: value'");
                break;
            }
            std::string key = trimmed(std::string_view(line.text).substr(0, colon));
            if (key.size() > 1 && (key.front() == '"' || key.front() == '\'') && key.back() == key.front())
                key = key.substr(1, key.size() - 2);
            if (object.contains(key))
                fail(line.number, "the key '" + excerpt(key, 30) + "' is there twice");
            if (lines)
                (*lines)[key] = line.number;
            ++m_at;
            const std::string rest = trimmed(std::string_view(line.text).substr(colon + 1));
            if (!rest.empty() && rest.front() != '#')
                object[key] = value(rest, line.number, indent + 1, depth);
            else if (significant() && isItem(m_lines[m_at]) && m_lines[m_at].indent == indent)
                object[key] = sequence(indent, depth + 1); // a list may stand below its key
            else
                object[key] = block(indent + 1, depth + 1);
        }
        return object;
    }

    json sequence(std::size_t indent, int depth)
    {
        json list = json::array();
        while (significant() && m_lines[m_at].indent == indent && isItem(m_lines[m_at])) {
            Line& line = m_lines[m_at];
            const std::size_t begin = std::min(line.text.find_first_not_of(' ', 1), line.text.size());
            const std::string rest = line.text.substr(begin);
            if (rest.empty() || rest.front() == '#') {
                ++m_at;
                list.push_back(block(indent + 1, depth + 1));
            } else { // what follows the dash is a block of its own
                line.indent += begin;
                line.text = rest;
                list.push_back(block(indent + 1, depth + 1));
            }
        }
        return list;
    }

    /// What begins behind a key or a dash; lines that belong to it are indented by `least` or more.
    json value(const std::string& text, int number, std::size_t least, int depth)
    {
        switch (text.front()) {
        case '|':
        case '>': return blockScalar(text, number, least);
        case '!': fail(number, "'" + excerpt(text, 40) + "' is code, which a task file can not bring along"); return {};
        case '&':
        case '*': fail(number, "'" + excerpt(text, 40) + "' refers to another place; write it out"); return {};
        case '[':
        case '{':
        case '"':
        case '\'': return enclosed(text, number, least, depth);
        default: break;
        }
        std::string whole = trimmed(std::string_view(text).substr(0, commentAt(text)));
        while (m_at < m_lines.size() && !m_lines[m_at].text.empty() && m_lines[m_at].indent >= least
               && m_lines[m_at].text.front() != '#') {
            const std::string& more = m_lines[m_at++].text;
            if (colonOf(more) != std::string::npos) {
                fail(m_lines[m_at - 1].number, "a key stands where a text goes on");
                return {};
            }
            whole += ' ' + trimmed(std::string_view(more).substr(0, commentAt(more)));
        }
        return typed(whole);
    }

    json blockScalar(const std::string& header, int number, std::size_t least)
    {
        const std::string marks = trimmed(std::string_view(header).substr(0, commentAt(header)));
        if (marks.find_first_not_of("|>+-") != std::string::npos || marks.size() > 2) {
            fail(number, "'" + excerpt(marks, 20) + "' is not read; expected |, |-, |+, >, >- or >+");
            return {};
        }
        std::vector<std::string> lines;
        std::size_t indent = 0;
        for (; m_at < m_lines.size() && (m_lines[m_at].text.empty() || m_lines[m_at].indent >= least); ++m_at) {
            const Line& line = m_lines[m_at];
            if (indent == 0 && !line.text.empty())
                indent = line.indent;
            if (!line.text.empty() && line.indent < indent)
                break;
            lines.push_back(line.text.empty() ? std::string() : std::string(line.indent - indent, ' ') + line.text);
        }
        std::size_t used = lines.size();
        while (used > 0 && lines[used - 1].empty())
            --used;
        std::string text;
        for (std::size_t i = 0; i < used; ++i) {
            const bool more = i + 1 < used;
            text += lines[i];
            if (marks.front() == '|')
                text += more ? "\n" : "";
            else if (more && lines[i + 1].empty())
                continue;
            else if (more)
                text += lines[i].empty() || lines[i].front() == ' ' || lines[i + 1].front() == ' ' ? "\n" : " ";
        }
        if (marks.ends_with('+'))
            text += std::string(lines.size() - used + 1, '\n');
        else if (!marks.ends_with('-') && used > 0)
            text += '\n';
        return text;
    }

    /// A quoted text, a list in brackets or a mapping in braces, which may go on in the next lines.
    json enclosed(std::string text, int number, std::size_t least, int depth)
    {
        for (;;) {
            std::size_t at = 0;
            m_open = false;
            json read = flow(text, at, number, depth + 1);
            if (!m_open) {
                const std::string rest = trimmed(std::string_view(text).substr(std::min(at, text.size())));
                if (!rest.empty() && rest.front() != '#')
                    fail(number, "'" + excerpt(rest, 30) + "' stands behind the end of a value");
                return read;
            }
            if (m_at >= m_lines.size() || (!m_lines[m_at].text.empty() && m_lines[m_at].indent < least)) {
                fail(number, "the value is not closed");
                return {};
            }
            const std::string& more = m_lines[m_at++].text;
            text += more.empty() ? "\n" : text.ends_with('\n') ? more : ' ' + more;
        }
    }

    json flow(const std::string& text, std::size_t& at, int number, int depth)
    {
        const auto skip = [&] { at = std::min(text.find_first_not_of(" \n", at), text.size()); };
        skip();
        if (depth > kDeepest)
            fail(number, "values stand inside each other too deeply");
        if (at >= text.size() || m_error) {
            m_open = !m_error;
            return {};
        }
        if (text[at] == '"' || text[at] == '\'')
            return quoted(text, at, number);
        if (text[at] != '[' && text[at] != '{') {
            const std::size_t end = std::min(text.find_first_of(",]}:", at), text.size());
            const std::string plain = trimmed(std::string_view(text).substr(at, end - at));
            at = end;
            if (!plain.empty() && (plain.front() == '!' || plain.front() == '&' || plain.front() == '*'))
                fail(number, "'" + excerpt(plain, 40) + "' is not read inside brackets");
            return typed(plain);
        }
        const bool list = text[at] == '[';
        json read = list ? json::array() : json::object();
        for (++at;;) {
            skip();
            if (at < text.size() && text[at] == (list ? ']' : '}')) {
                ++at;
                return read;
            }
            json one = flow(text, at, number, depth + 1);
            skip();
            if (!list) {
                if (at >= text.size() || m_open) {
                    m_open = true;
                    return {};
                }
                if (text[at] != ':') {
                    fail(number, "expected 'key: value' between braces");
                    return {};
                }
                const std::string key = one.is_string() ? one.get<std::string>() : one.dump();
                ++at;
                read[key] = flow(text, at, number, depth + 1);
                skip();
            } else {
                read.push_back(std::move(one));
            }
            if (m_open || m_error || at >= text.size()) {
                m_open = !m_error;
                return {};
            }
            if (text[at] == ',')
                ++at;
            else if (text[at] != (list ? ']' : '}')) {
                fail(number, "expected a comma or the closing bracket");
                return {};
            }
        }
    }

    json quoted(const std::string& text, std::size_t& at, int number)
    {
        const char quote = text[at++];
        std::string read;
        for (; at < text.size(); ++at) {
            if (text[at] == quote && quote == '\'' && at + 1 < text.size() && text[at + 1] == '\'')
                read += text[++at];
            else if (text[at] == quote) {
                ++at;
                return read;
            } else if (text[at] == '\\' && quote == '"' && at + 1 < text.size())
                escape(read, text, ++at, number);
            else
                read += text[at];
        }
        m_open = true;
        return {};
    }

    void escape(std::string& read, const std::string& text, std::size_t& at, int number)
    {
        switch (text[at]) {
        case 'n': read += '\n'; break;
        case 't': read += '\t'; break;
        case 'r': read += '\r'; break;
        case '0': read += '\0'; break;
        case '"':
        case '\\':
        case '/':
        case ' ': read += text[at]; break;
        case 'u': {
            const json letter = json::parse("\"\\" + text.substr(at, 5) + '"', nullptr, false);
            if (!letter.is_string())
                return fail(number, "the escape '\\" + excerpt(text.substr(at, 5), 8) + "' is not known");
            read += letter.get<std::string>();
            at += 4;
            break;
        }
        default: fail(number, std::string("the escape '\\") + text[at] + "' is not known");
        }
    }

    std::vector<Line> m_lines;
    std::size_t m_at = 0;
    bool m_open = false; // the enclosed value goes on in the next line
    std::optional<Error> m_error;
};

} // namespace

Result<YamlDocument> readYaml(std::string_view text)
{
    return Reader(text).document();
}

} // namespace headscope::tasks
