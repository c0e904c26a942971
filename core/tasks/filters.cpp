// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/filters.h"

#include "core/tasks/python/pytext.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headscope::tasks {

namespace {

/// What an English word says as part of a number: a value to add, or a factor.
struct NumberWord {
    std::string_view word;
    long long value = 0;
    bool factor = false; ///< hundred multiplies what stands before it; thousand and above also close a group
};

constexpr NumberWord kNumberWords[] = {{"zero", 0},
                                       {"one", 1},
                                       {"two", 2},
                                       {"three", 3},
                                       {"four", 4},
                                       {"five", 5},
                                       {"six", 6},
                                       {"seven", 7},
                                       {"eight", 8},
                                       {"nine", 9},
                                       {"ten", 10},
                                       {"eleven", 11},
                                       {"twelve", 12},
                                       {"thirteen", 13},
                                       {"fourteen", 14},
                                       {"fifteen", 15},
                                       {"sixteen", 16},
                                       {"seventeen", 17},
                                       {"eighteen", 18},
                                       {"nineteen", 19},
                                       {"twenty", 20},
                                       {"thirty", 30},
                                       {"forty", 40},
                                       {"fifty", 50},
                                       {"sixty", 60},
                                       {"seventy", 70},
                                       {"eighty", 80},
                                       {"ninety", 90},
                                       {"hundred", 100, true},
                                       {"thousand", 1'000, true},
                                       {"million", 1'000'000, true},
                                       {"billion", 1'000'000'000, true}};

constexpr long long kLargestNumber = 1'000'000'000'000; // beyond it nobody meant a number

const NumberWord* numberWord(std::string_view word)
{
    const auto* found = std::find_if(std::begin(kNumberWords), std::end(kNumberWords),
                                     [&](const NumberWord& known) { return known.word == word; });
    return found == std::end(kNumberWords) ? nullptr : found;
}

/// The lower-case words of a text; what is no letter parts them.
std::vector<std::string> plainWords(std::string_view text)
{
    std::string letters = lower(text);
    std::replace_if(
        letters.begin(), letters.end(), [](char c) { return c < 'a' || c > 'z'; }, ' ');
    return splitWhitespace(letters);
}

/// The spellings that the harness counts as number words, as alternatives of a pattern: bare "eight" only where a
/// number begins, bare "six", "seven" and "nine" only inside one.
std::string spellings(bool begins, bool inside)
{
    std::string all = "zero|one|two|three|four|five";
    for (const char* stem : {"twen", "thir", "for", "fif", "six", "seven", "nine"})
        all += std::string("|") + stem + (inside ? "(?:|teen|ty)" : "(?:teen|ty)");
    all += begins ? "|eight(?:|een|y)" : "|eight(?:een|y)";
    for (const char* word :
         {"ten", "eleven", "twelve", "fourteen", "hundred", "thousand", "million", "billion", "trillion"})
        all += std::string("|") + word;
    return all;
}

/// Finds the words of a number in lower-case text, without word bounds: "one" is found in "none".
const PyRegex& numberInWords()
{
    static const PyRegex regex = *PyRegex::compile("(?:(?:" + spellings(true, false) + ")(?:" + spellings(false, true)
                                                   + R"(|[^\S\r\n]|,|and|&)+)?(?:)" + spellings(false, false) + ")");
    return regex;
}

/// One option of a question with choices: its letter in parentheses, and its text made comparable.
struct Option {
    std::string letter;
    std::string words;
};

std::string comparable(std::string_view text)
{
    return withoutUnicodePunctuation(lower(text));
}

/// The options that an input lists as "(A) text", lettered in their order.
Result<std::vector<Option>> optionsOf(std::string_view input)
{
    static const PyRegex listed = *PyRegex::compile(R"(\([A-Z]\)([^\n^(]*))");
    const Result<std::vector<PyRegex::Groups>> found = listed.findAll(input);
    if (!found.has_value())
        return found.error();
    std::vector<Option> options;
    for (const PyRegex::Groups& groups : *found)
        options.push_back({std::string(1, static_cast<char>('A' + options.size())), comparable(strip(groups[1]))});
    return options;
}

/// The option whose text comes next in `said`; of several at one place the first, of two with one text the last.
std::pair<const Option*, std::size_t> nextOption(const std::vector<Option>& options, std::string_view said,
                                                 std::size_t from)
{
    const Option* next = nullptr;
    std::size_t place = said.npos;
    for (const Option& option : options) {
        const std::size_t at = option.words.empty() ? said.npos : said.find(option.words, from);
        if (at != said.npos && (at < place || (next && option.words == next->words))) {
            next = &option;
            place = at;
        }
    }
    return {next, place};
}

} // namespace

std::optional<long long> numberFromWords(std::string_view text)
{
    long long closed = 0, group = 0;
    bool begun = false;
    for (const std::string& word : plainWords(text)) {
        const NumberWord* known = numberWord(word);
        if (!known) {
            if (begun && word != "and") // the first number ends here
                break;
            continue;
        }
        begun = true;
        if (!known->factor) {
            group += known->value;
        } else {
            group = std::max(1LL, group) * known->value;
            if (known->value > 100)
                closed += std::exchange(group, 0);
        }
        if (closed + group > kLargestNumber)
            return std::nullopt;
    }
    return begun ? std::optional(closed + group) : std::nullopt;
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
    const auto filled =
        std::find_if(match.begin() + 1, match.end(), [](const std::string& group) { return !group.empty(); });
    return std::string(strip(filled == match.end() ? m_extraction.fallback : *filled));
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
        return *found ? find(m_regexes[0], text) : Result<std::string>(m_extraction.fallback);
    }
    case Extraction::Kind::BbhChoice: return choice(text, input);
    case Extraction::Kind::BbhNumber: return number(text);
    case Extraction::Kind::BbhMap: return mapped(text);
    case Extraction::Kind::BbhWordSort: return sortedWords(text, input);
    }
    return std::string(kNoAnswer);
}

Result<std::string> Filter::choice(std::string_view text, std::string_view input) const
{
    // 1. A letter in parentheses.
    Result<std::string> letter = find(m_regexes[0], text);
    if (!letter.has_value() || !letter->empty())
        return letter;
    const Result<std::vector<Option>> options = optionsOf(input);
    if (!options.has_value())
        return options.error();

    // 2. The text of an option: the first (or last) that is said, read from the left without overlaps.
    const std::string said = comparable(text);
    const Option* chosen = nullptr;
    for (std::size_t from = 0; from < said.size() && (!chosen || m_extraction.last);) {
        const auto [option, at] = nextOption(*options, said, from);
        if (!option)
            break;
        chosen = option;
        from = at + option->words.size();
    }
    if (chosen)
        return "(" + chosen->letter + ")";

    // 3. A bare letter after a colon.
    std::string letters;
    for (const Option& option : *options)
        letters += option.letter;
    if (letters.empty())
        return std::string(kNoAnswer);
    const Result<PyRegex> afterColon = PyRegex::compile(R"(:\s*([)" + letters + "])");
    if (!afterColon.has_value())
        return afterColon.error();
    const Result<std::string> bare = find(*afterColon, text);
    if (!bare.has_value())
        return bare;
    return bare->empty() ? std::string(kNoAnswer) : "(" + *bare + ")";
}

Result<std::string> Filter::number(std::string_view text) const
{
    Result<std::string> digits = find(m_regexes[0], text);
    if (!digits.has_value() || !digits->empty())
        return digits;
    const Result<std::string> words = find(numberInWords(), lower(text));
    if (!words.has_value())
        return words;
    const std::optional<long long> value = numberFromWords(*words);
    return value ? std::to_string(*value) : std::string(kNoAnswer);
}

Result<std::string> Filter::mapped(std::string_view text) const
{
    Result<std::string> whole = find(m_regexes[0], lower(text));
    if (!whole.has_value() || whole->empty())
        return whole.has_value() ? Result<std::string>(std::string(kNoAnswer)) : whole;
    for (std::size_t i = 0; i < m_extraction.values.size(); ++i) {
        Result<bool> found = m_regexes[i + 1].search(*whole);
        if (!found.has_value())
            return found.error();
        if (*found)
            return m_extraction.values[i].second;
    }
    return std::string(kNoAnswer);
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
