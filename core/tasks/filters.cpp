// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/filters.h"

#include "core/tasks/pytext.h"

#include <algorithm>
#include <array>
#include <map>

namespace headscope::tasks {

namespace {

constexpr const char* kInvalid = "[invalid]";

// Number words as the harness's pattern has them, oddities included: at the end of a match "six" to "nine" need "teen" or "ty".
const PyRegex& numberWords()
{
    static const PyRegex regex = [] {
        const std::string low = "zero|one|two|three|four|five|";
        const std::string stem = "(?:twen|thir|for|fif|six|seven|nine)";
        const std::string high = "|ten|eleven|twelve|fourteen|hundred|thousand|(?:m|b|tr)illion";
        const std::string first = low + stem + "(?:teen|ty)|eight(?:|een|y)" + high;
        const std::string middle = low + stem + "(?:|teen|ty)|eight(?:een|y)" + high;
        const std::string last = low + stem + "(?:teen|ty)|eight(?:een|y)" + high;
        return *PyRegex::compile("((?:(?:" + first + ")(?:" + middle + R"(|[^\S\r\n]|,|and|&)+)?(?:)" + last + "))");
    }();
    return regex;
}

} // namespace

std::optional<long long> numberFromWords(std::string_view text)
{
    static const std::map<std::string, long long, std::less<>> values{
        {"zero", 0}, {"one", 1}, {"two", 2}, {"three", 3}, {"four", 4}, {"five", 5}, {"six", 6}, {"seven", 7}, {"eight", 8},
        {"nine", 9}, {"ten", 10}, {"eleven", 11}, {"twelve", 12}, {"thirteen", 13}, {"fourteen", 14}, {"fifteen", 15},
        {"sixteen", 16}, {"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19}, {"twenty", 20}, {"thirty", 30}, {"forty", 40},
        {"fifty", 50}, {"sixty", 60}, {"seventy", 70}, {"eighty", 80}, {"ninety", 90}};
    static const std::map<std::string, long long, std::less<>> scales{
        {"thousand", 1'000}, {"million", 1'000'000}, {"billion", 1'000'000'000}};
    long long total = 0, part = 0;
    bool any = false;
    for (const std::string& word : splitWhitespace(replaceAll(lower(text), "-", " "))) {
        if (const auto value = values.find(word); value != values.end()) {
            part += value->second;
        } else if (word == "hundred") {
            part = std::max(1LL, part) * 100;
        } else if (const auto scale = scales.find(word); scale != scales.end()) {
            total += std::max(1LL, part) * scale->second;
            part = 0;
        } else {
            continue;
        }
        any = true;
        if (total > 1'000'000'000'000'000 || part > 1'000'000'000'000) // not a number anybody meant
            return std::nullopt;
    }
    return any ? std::optional(total + part) : std::nullopt;
}

Result<Filter> Filter::make(const Extraction& extraction)
{
    Filter filter;
    filter.m_extraction = extraction;
    std::vector<std::string> patterns{extraction.pattern};
    if (extraction.kind == Extraction::Kind::BbhMap) {
        for (const auto& [pattern, value] : extraction.values) {
            patterns.front() += (patterns.front().empty() ? "" : "|") + pattern;
            patterns.push_back(pattern);
        }
    }
    for (const std::string& pattern : patterns) {
        Result<PyRegex> regex = PyRegex::compile(pattern);
        if (!regex.has_value())
            return regex.error();
        filter.m_regexes.push_back(std::move(*regex));
    }
    return filter;
}

Result<std::string> Filter::find(const PyRegex& regex, std::string_view text) const
{
    Result<std::vector<PyRegex::Groups>> matches = regex.findAll(text);
    if (!matches.has_value())
        return matches.error();
    if (matches->empty())
        return std::string();
    const PyRegex::Groups& match = m_extraction.last ? matches->back() : matches->front();
    if (match.size() == 1)
        return std::string(strip(match[0]));
    if (match.size() == 2) // a single group is the result even when it is empty
        return std::string(strip(match[1]));
    const auto filled = std::find_if(match.begin() + 1, match.end(), [](const std::string& group) { return !group.empty(); });
    return filled == match.end() ? std::string(kInvalid) : std::string(strip(*filled));
}

Result<std::string> Filter::apply(std::string_view text, std::string_view input) const
{
    switch (m_extraction.kind) {
    case Extraction::Kind::None: return std::string(text);
    case Extraction::Kind::StripLeft: return std::string(lstrip(text));
    case Extraction::Kind::Regex: {
        Result<bool> found = m_regexes[0].search(text);
        if (!found.has_value())
            return found.error();
        return *found ? find(m_regexes[0], text) : Result<std::string>(std::string(kInvalid));
    }
    case Extraction::Kind::BbhChoice: return choice(text, input);
    case Extraction::Kind::BbhNumber: return number(text);
    case Extraction::Kind::BbhMap: return mapped(text);
    case Extraction::Kind::BbhWordSort: return sortedWords(text, input);
    }
    return std::string(kInvalid);
}

Result<std::string> Filter::choice(std::string_view text, std::string_view input) const
{
    // 1. the letter itself
    Result<std::string> letter = find(m_regexes[0], text);
    if (!letter.has_value() || !letter->empty())
        return letter;
    // 2. the text of an option, both sides lower-cased and without punctuation
    static const PyRegex option = *PyRegex::compile(R"(\([A-Z]\)([^\n^(]*))");
    Result<std::vector<PyRegex::Groups>> options = option.findAll(input);
    if (!options.has_value())
        return options.error();
    const auto plain = [](std::string_view s) { return withoutUnicodePunctuation(lower(s)); };
    std::map<std::string, std::string> letters;
    std::string texts, names;
    char next = 'A';
    for (const PyRegex::Groups& groups : *options) {
        const std::string words = plain(strip(groups[1]));
        letters[words] = std::string("(") + next + ")";
        texts += (names.empty() ? "" : "|") + PyRegex::escaped(words);
        names.append(names.empty() ? "" : "|").append(1, next);
        ++next;
    }
    Result<PyRegex> textRegex = PyRegex::compile(texts);
    Result<PyRegex> nameRegex = PyRegex::compile(R"(:[\s]*()" + names + ")");
    if (!textRegex.has_value() || !nameRegex.has_value())
        return textRegex.has_value() ? nameRegex.error() : textRegex.error();
    Result<std::string> words = find(*textRegex, plain(text));
    if (!words.has_value())
        return words;
    if (!words->empty())
        return letters.contains(*words) ? letters[*words] : *words;
    // 3. a bare letter after a colon
    Result<std::string> bare = find(*nameRegex, text);
    if (!bare.has_value())
        return bare;
    return bare->empty() ? std::string(kInvalid) : "(" + *bare + ")";
}

Result<std::string> Filter::number(std::string_view text) const
{
    Result<std::string> digits = find(m_regexes[0], text);
    if (!digits.has_value() || !digits->empty())
        return digits;
    Result<std::string> words = find(numberWords(), lower(text));
    if (!words.has_value())
        return words;
    const std::optional<long long> value = words->empty() ? std::nullopt : numberFromWords(*words);
    return value ? std::to_string(*value) : std::string(kInvalid);
}

Result<std::string> Filter::mapped(std::string_view text) const
{
    Result<std::string> whole = find(m_regexes[0], lower(text));
    if (!whole.has_value() || whole->empty())
        return whole.has_value() ? Result<std::string>(std::string(kInvalid)) : whole;
    for (std::size_t i = 0; i < m_extraction.values.size(); ++i) {
        Result<bool> found = m_regexes[i + 1].search(*whole);
        if (!found.has_value())
            return found.error();
        if (*found)
            return m_extraction.values[i].second;
    }
    return std::string(kInvalid);
}

Result<std::string> Filter::sortedWords(std::string_view text, std::string_view input) const
{
    const std::size_t list = input.find("List:");
    if (list == input.npos)
        return inputError("A word_sorting row has no 'List:' in its input.");
    std::string_view words = input.substr(list + 5);
    words = words.substr(0, words.find("List:"));
    std::string pattern;
    for (const std::string& word : splitWhitespace(words))
        pattern += (pattern.empty() ? "\\b" : "|\\b") + word + "\\b"; // not escaped, as in the harness
    Result<PyRegex> regex = PyRegex::compile(pattern);
    if (!regex.has_value())
        return regex.error();
    Result<std::vector<PyRegex::Groups>> matches = regex->findAll(text);
    if (!matches.has_value())
        return matches.error();
    // Each word at its last place.
    std::vector<std::string> kept;
    for (auto match = matches->rbegin(); match != matches->rend(); ++match) {
        if (std::find(kept.begin(), kept.end(), (*match)[0]) == kept.end())
            kept.push_back((*match)[0]);
    }
    std::string result;
    for (auto word = kept.rbegin(); word != kept.rend(); ++word)
        result += (result.empty() ? "" : " ") + *word;
    return result;
}

} // namespace headscope::tasks
