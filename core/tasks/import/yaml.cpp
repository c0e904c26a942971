// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/yaml.h"

#include "core/tasks/python/pytext.h"
#include "core/text/unicode/utf8.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <regex>
#include <sstream>
#include <vector>

namespace headscope::tasks {

using nlohmann::json;

namespace {

constexpr std::size_t kDeepest = 32; // values inside values

struct Refused {
    YAML::Mark mark;
    std::string what;
};

/// The digits of one number, which Python lets underscores separate.
std::string digitsOf(std::string_view text)
{
    std::string digits;
    for (const char c : text)
        if (c != '_' && c != '+')
            digits += c;
    return digits;
}

json integer(std::string_view text, int base)
{
    const std::string digits = digitsOf(text);
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    return problem == std::errc() && end == digits.data() + digits.size() ? json(value) : json(std::string(text));
}

/// The same in every locale, and as in Python infinite or 0 beyond what a double holds.
double decimal(std::string_view text)
{
    const std::string digits = digitsOf(text);
    double value = 0.0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc::result_out_of_range)
        return value;
    const double beyond = digits.find('-', 1) == digits.npos ? std::numeric_limits<double>::infinity() : 0.0;
    return digits.front() == '-' ? -beyond : beyond;
}

/// "1:30" and "1:30.5": numbers to the base of 60, as YAML 1.1 has them. Integers that a double rounds stay texts.
json sexagesimal(std::string_view text)
{
    constexpr double kExact = 1LL << std::numeric_limits<double>::digits;
    const bool negative = text.front() == '-';
    std::stringstream parts(digitsOf(text.substr(negative ? 1 : 0)));
    double value = 0.0;
    for (std::string part; std::getline(parts, part, ':');)
        value = value * 60.0 + decimal(part);
    value = negative ? -value : value;
    if (text.find('.') != text.npos)
        return value;
    return std::abs(value) < kExact ? json(static_cast<std::int64_t>(value)) : json(std::string(text));
}

/// What the safe loader of PyYAML 6.0 makes of a plain scalar. Dates stay texts, and integers beyond 64 bits.
json resolved(const std::string& text)
{
    static const std::regex kNull("~|null|Null|NULL|"), kTrue("yes|Yes|YES|true|True|TRUE|on|On|ON"),
        kFalse("no|No|NO|false|False|FALSE|off|Off|OFF"), kDecimal("[-+]?(0|[1-9][0-9_]*)"), kOctal("[-+]?0[0-7_]+"),
        kHexadecimal("[-+]?0x[0-9a-fA-F_]+"), kBinary("[-+]?0b[0-1_]+"),
        kSixty("[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\\.[0-9_]*"),
        kFloat("[-+]?[0-9][0-9_]*\\.[0-9_]*([eE][-+][0-9]+)?|\\.[0-9][0-9_]*([eE][-+][0-9]+)?"),
        kInfinity("[-+]?\\.(inf|Inf|INF)"), kNan("\\.(nan|NaN|NAN)");
    constexpr std::size_t kLongestNumber = 64; // longer ones are texts, and need no search
    const auto is = [&](const std::regex& form) { return std::regex_match(text, form); };
    if (text.size() > kLongestNumber)
        return text;
    if (is(kNull))
        return nullptr;
    if (is(kTrue) || is(kFalse))
        return is(kTrue);
    if (is(kDecimal))
        return integer(text, 10);
    if (is(kOctal))
        return integer(text, 8);
    if (is(kHexadecimal) || is(kBinary)) {
        const std::size_t prefix = text.find('0');
        return integer(text.substr(0, prefix) + text.substr(prefix + 2), is(kBinary) ? 2 : 16);
    }
    if (is(kSixty))
        return sexagesimal(text);
    if (is(kFloat))
        return decimal(text);
    if (is(kInfinity))
        return (text.front() == '-' ? -1.0 : 1.0) * std::numeric_limits<double>::infinity();
    if (is(kNan))
        return std::numeric_limits<double>::quiet_NaN();
    return text;
}

/// Builds the value from the parser's events, and refuses what a task file must not bring along.
class Builder final : public YAML::EventHandler
{
public:
    YamlDocument document;

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { put(mark, "", anchor, nullptr); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override
    {
        throw Refused{mark, "an alias refers to another place; write it out"};
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override
    {
        // "?" is the tag of a plain scalar, "!" that of a quoted one.
        put(mark, tag, anchor, tag == "?" && !m_key ? resolved(value) : json(value));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        open(mark, tag, anchor, json::array());
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        open(mark, tag, anchor, json::object());
        m_key = true;
    }
    void OnMapEnd() override { close(); }

private:
    json* put(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, json value)
    {
        if (!tag.empty() && tag != "?" && tag != "!")
            throw Refused{mark, "the tag '" + excerpt(tag, 40) + "' is code, which a task file cannot contain"};
        if (anchor != 0)
            throw Refused{mark, "an anchor is used elsewhere; write its value out"};
        if (m_open.empty()) {
            document.value = std::move(value);
            return &document.value;
        }
        json& into = *m_open.back();
        if (into.is_array())
            return &into.emplace_back(std::move(value));
        if (m_key) {
            if (!value.is_string())
                throw Refused{mark, "a key must be a string"};
            m_name = value.get<std::string>();
            if (m_name == "<<")
                throw Refused{mark, "the merge key '<<' refers to another place; write it out"};
            if (into.contains(m_name))
                throw Refused{mark, "the key '" + excerpt(m_name, 30) + "' occurs twice"};
            if (m_open.size() == 1)
                document.lines[m_name] = mark.line + 1;
            m_key = false;
            return nullptr;
        }
        m_key = true;
        return &(into[m_name] = std::move(value));
    }

    void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, json value)
    {
        if (m_open.size() >= kDeepest)
            throw Refused{mark, "values are nested too deeply"};
        if (m_key)
            throw Refused{mark, "a key must be a string"};
        m_open.push_back(put(mark, tag, anchor, std::move(value)));
        m_key = false;
    }

    void close()
    {
        m_open.pop_back();
        m_key = !m_open.empty() && m_open.back()->is_object();
    }

    std::vector<json*> m_open; ///< from the outermost value to the one that is being filled
    std::string m_name;        ///< the key whose value comes next
    bool m_key = false;        ///< whether a key comes next
};

Error refusal(const YAML::Mark& mark, const std::string& what)
{
    return inputError("line " + std::to_string(mark.line + 1) + ": " + what);
}

} // namespace

Result<YamlDocument> readYaml(std::string_view text)
{
    if (text.find('\0') != text.npos)
        return inputError("line 1: the file contains NUL bytes");
    if (const auto bad = text::firstInvalidUtf8(text))
        return inputError("line " + std::to_string(1 + std::ranges::count(text.substr(0, *bad), '\n'))
                          + ": the file is not UTF-8");
    try {
        // Without the end marker, yaml-cpp 0.7 accepts a quotation mark that is never closed.
        std::istringstream stream{std::string(text) + (text.ends_with('\n') ? "...\n" : "")};
        YAML::Parser parser(stream);
        Builder builder, second;
        parser.HandleNextDocument(builder);
        if (parser.HandleNextDocument(second))
            return inputError("line 1: there are several documents; expected one");
        if (!builder.document.value.is_object())
            return inputError("line 1: expected keys and values");
        return std::move(builder.document);
    } catch (const Refused& refused) {
        return refusal(refused.mark, refused.what);
    } catch (const YAML::Exception& problem) {
        return refusal(problem.mark, problem.msg);
    }
}

} // namespace headscope::tasks
