// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/survey/texts/filter.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>

namespace headscope::survey {

/// or: and ("or" and)*; and: not ("and" not)*; not: "not" not | "(" or ")" | value compare value.
class Filter::Parser
{
public:
    using Test = std::function<bool(const Lookup&)>;
    using Value = std::function<std::optional<double>(const Lookup&)>;

    Parser(std::string_view text, std::span<const std::string_view> names) : m_text(text), m_names(names) { next(); }

    Result<Test> whole()
    {
        if (m_word.empty())
            return Test();
        auto test = either(0);
        if (test.has_value() && !m_word.empty())
            return unexpected("'and' or 'or'");
        return test;
    }

private:
    static constexpr int kDeepest = 64;

    static bool isName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }
    void next()
    {
        m_at = std::min(m_text.find_first_not_of(" \t", m_end), m_text.size());
        m_end = m_at;
        if (m_at == m_text.size()) {
            m_word = {};
            return;
        }
        const bool sign = m_text[m_at] == '-' && m_at + 1 < m_text.size() && isName(m_text[m_at + 1]);
        if (isName(m_text[m_at]) || sign) {
            ++m_end;
            // The sign of an exponent belongs to its number: 2e-1.
            const bool isNumber = !std::isalpha(static_cast<unsigned char>(m_text[m_at]));
            const auto exponentSign = [&] {
                return isNumber && (m_text[m_end] == '-' || m_text[m_end] == '+')
                       && (m_text[m_end - 1] == 'e' || m_text[m_end - 1] == 'E');
            };
            while (m_end < m_text.size() && (isName(m_text[m_end]) || exponentSign()))
                ++m_end;
        } else if (std::string_view("<>=!").find(m_text[m_at]) != std::string_view::npos) {
            m_end += m_at + 1 < m_text.size() && m_text[m_at + 1] == '=' ? 2 : 1;
        } else {
            ++m_end;
        }
        m_word = m_text.substr(m_at, m_end - m_at);
    }
    [[nodiscard]] Error unexpected(const std::string& expected) const
    {
        return inputError("The filter cannot be read at "
                          + (m_word.empty() ? std::string("its end") : "'" + std::string(m_text.substr(m_at, 20)) + "'")
                          + "; expected " + expected + ".");
    }
    Result<Test> either(int depth)
    {
        auto left = both(depth);
        while (left.has_value() && m_word == "or") {
            next();
            auto right = both(depth);
            if (!right.has_value())
                return right;
            left = Test([a = *left, b = *right](const Lookup& lookup) { return a(lookup) || b(lookup); });
        }
        return left;
    }
    Result<Test> both(int depth)
    {
        auto left = one(depth);
        while (left.has_value() && m_word == "and") {
            next();
            auto right = one(depth);
            if (!right.has_value())
                return right;
            left = Test([a = *left, b = *right](const Lookup& lookup) { return a(lookup) && b(lookup); });
        }
        return left;
    }
    Result<Test> one(int depth)
    {
        if (depth > kDeepest)
            return inputError("The filter nests deeper than 64 brackets.");
        if (m_word == "not") {
            next();
            auto test = one(depth + 1);
            return test.has_value() ? Result<Test>([a = *test](const Lookup& lookup) { return !a(lookup); }) : test;
        }
        if (m_word == "(") {
            next();
            auto test = either(depth + 1);
            if (test.has_value() && m_word != ")")
                return unexpected("')'");
            next();
            return test;
        }
        return comparison();
    }
    Result<Test> comparison()
    {
        const auto left = value();
        if (!left.has_value())
            return left.error();
        const std::string compare(m_word);
        if (compare != "<" && compare != "<=" && compare != ">" && compare != ">=" && compare != "=" && compare != "=="
            && compare != "!=")
            return unexpected("one of < <= > >= = !=");
        next();
        const auto right = value();
        if (!right.has_value())
            return right.error();
        return Test([a = *left, b = *right, compare](const Lookup& lookup) {
            const auto x = a(lookup), y = b(lookup);
            if (!x || !y || std::isnan(*x) || std::isnan(*y))
                return false;
            return compare == "<"    ? *x < *y
                   : compare == "<=" ? *x <= *y
                   : compare == ">"  ? *x > *y
                   : compare == ">=" ? *x >= *y
                   : compare == "!=" ? *x != *y
                                     : *x == *y;
        });
    }
    Result<Value> value()
    {
        double number = 0;
        const auto [end, failed] = std::from_chars(m_word.data(), m_word.data() + m_word.size(), number);
        if (!m_word.empty() && failed == std::errc() && end == m_word.data() + m_word.size()) {
            next();
            return Value([number](const Lookup&) { return std::optional(number); });
        }
        if (std::find(m_names.begin(), m_names.end(), m_word) == m_names.end()) {
            std::string names;
            for (const std::string_view name : m_names)
                names += (names.empty() ? "" : ", ") + std::string(name);
            return unexpected("a number or one of " + names);
        }
        const std::string name(m_word);
        next();
        return Value([name](const Lookup& lookup) { return lookup(name); });
    }

    std::string_view m_text;
    std::span<const std::string_view> m_names;
    std::size_t m_at = 0, m_end = 0;
    std::string_view m_word;
};

Result<Filter> Filter::parse(std::string_view text, std::span<const std::string_view> names)
{
    auto test = Parser(text, names).whole();
    if (!test.has_value())
        return test.error();
    Filter filter;
    filter.m_test = std::move(*test);
    return filter;
}

} // namespace headscope::survey
