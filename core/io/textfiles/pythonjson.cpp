// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/textfiles/pythonjson.h"

#include <nlohmann/json.hpp>

#include <limits>
#include <string>

namespace headscope::io {

namespace {

constexpr int kDeepestJson = 64;
constexpr std::string_view kMark = "\xEF\xBB\xBF"; // UTF-8's byte order mark
// Stands for NaN between rewriting and parsing. A file that spells it itself has asked for a NaN.
constexpr std::string_view kNanText = R"("\u0000NaN")";

/// Rewrites what Python adds to JSON, outside strings, and counts brackets so that no depth can exhaust the stack.
class Rewriter
{
public:
    explicit Rewriter(std::string_view text) : m_text(text) { m_out.reserve(text.size() + 16); }

    Result<std::string> run()
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '"')
                copyString();
            else if (c == '/')
                return fault("contains a comment at byte " + std::to_string(m_at) + ", which JSON does not allow");
            else if (!replaced("Infinity", "1e308") && !replaced("NaN", kNanText))
                copy(c);
            if (m_depth > kDeepestJson)
                return fault("nests deeper than " + std::to_string(kDeepestJson) + " levels at byte "
                             + std::to_string(m_at));
        }
        return std::move(m_out);
    }

private:
    static Error fault(const std::string& message) { return inputError(message); }

    void copy(char c)
    {
        m_depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        m_out += c;
        ++m_at;
    }

    void copyString()
    {
        const std::size_t from = m_at++;
        while (m_at < m_text.size() && m_text[m_at] != '"')
            m_at += m_text[m_at] == '\\' ? 2 : 1; // what it escapes ends nothing
        m_at = std::min(m_at + 1, m_text.size());
        m_out += m_text.substr(from, m_at - from);
    }

    bool replaced(std::string_view word, std::string_view by)
    {
        if (m_text.substr(m_at, word.size()) != word)
            return false;
        m_out += by;
        m_at += word.size();
        return true;
    }

    std::string_view m_text;
    std::string m_out;
    std::size_t m_at = 0;
    int m_depth = 0;
};

void putNumbers(nlohmann::json& value)
{
    static const std::string nan("\0NaN", 4);
    if (value.is_structured())
        for (nlohmann::json& item : value)
            putNumbers(item);
    else if (value.is_string() && value.get_ref<const std::string&>() == nan)
        value = std::numeric_limits<double>::quiet_NaN();
}

} // namespace

Result<nlohmann::json> parsePythonJson(std::string_view text)
{
    if (text.starts_with(kMark))
        text.remove_prefix(kMark.size());
    const Result<std::string> plain = Rewriter(text).run();
    if (!plain.has_value())
        return plain.error();
    try {
        nlohmann::json json = nlohmann::json::parse(*plain);
        putNumbers(json);
        return json;
    } catch (const nlohmann::json::parse_error& e) {
        return Error{Error::Kind::Input,
                     plain->size() < e.byte ? "is not valid JSON: it ends too early"
                                            : "is not valid JSON: unexpected text or invalid UTF-8 in it",
                     e.what()};
    } catch (const nlohmann::json::exception& e) {
        return Error{Error::Kind::Input, "is not valid JSON: it contains a number that is out of range", e.what()};
    }
}

} // namespace headscope::io
