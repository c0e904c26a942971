// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/words/language.h"

#include "core/experiments/words/phrases.h"

#include <fmt/args.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace headscope::experiments {

namespace {

using Phrases = std::map<std::string, std::string, std::less<>>;

const Phrases& german()
{
    static const Phrases phrases = nlohmann::json::parse(germanPhrases()).get<Phrases>();
    return phrases;
}

thread_local const Phrases* spoken = nullptr; // none: English
thread_local std::set<std::string, std::less<>> missing;

constexpr std::string_view kPlace = "{}";
constexpr std::size_t kLeastLiteral = 9; // phrases with fewer letters of their own fit sentences that are not theirs

std::size_t literalLength(std::string_view phrase)
{
    std::size_t length = phrase.size();
    for (std::size_t at = phrase.find(kPlace); at != phrase.npos; at = phrase.find(kPlace, at + kPlace.size()))
        length -= kPlace.size();
    return length;
}

/// The texts that stand for the {} of a phrase; none if the sentence is another.
std::optional<std::vector<std::string>> valuesOf(std::string_view phrase, std::string_view sentence)
{
    std::size_t place = phrase.find(kPlace);
    if (!sentence.starts_with(phrase.substr(0, place)))
        return {};
    sentence.remove_prefix(std::min(place, sentence.size()));
    std::vector<std::string> values;
    while (place != phrase.npos) {
        phrase.remove_prefix(place + kPlace.size());
        place = phrase.find(kPlace);
        const std::string_view next = phrase.substr(0, place);
        const std::size_t end = place != phrase.npos       ? sentence.find(next)
                                : sentence.ends_with(next) ? sentence.size() - next.size()
                                                           : sentence.npos;
        if (end == sentence.npos)
            return {};
        values.emplace_back(sentence.substr(0, end));
        sentence.remove_prefix(end + next.size());
    }
    return values;
}

} // namespace

Speaking::Speaking(std::string_view language) : m_before(spoken)
{
    spoken = language == "de" ? &german() : nullptr;
}

Speaking::~Speaking()
{
    spoken = static_cast<const Phrases*>(m_before);
}

std::string translated(std::string_view english)
{
    if (!spoken || english.empty())
        return std::string(english);
    if (const auto found = spoken->find(english); found != spoken->end())
        return found->second;
    missing.emplace(english);
    return std::string(english);
}

std::string translatedName(std::string_view english)
{
    if (!spoken)
        return std::string(english);
    if (const auto found = spoken->find(english); found != spoken->end())
        return found->second;
    for (const std::string_view begin : {"without gather ", "without aggregate ", "without ", "random "})
        if (english.starts_with(begin))
            return translated(std::string(begin) + "{}", std::string(english.substr(begin.size())));
    if (constexpr std::string_view kAligned = " as aligned SSM"; english.ends_with(kAligned))
        return translated("{} as aligned SSM", std::string(english.substr(0, english.size() - kAligned.size())));
    return std::string(english);
}

std::string translatedNote(std::string_view english)
{
    if (!spoken)
        return std::string(english);
    if (const auto found = spoken->find(english); found != spoken->end())
        return found->second;
    std::size_t most = kLeastLiteral;
    std::string_view best;
    std::vector<std::string> values;
    for (const auto& [phrase, german] : *spoken)
        if (const std::size_t literal = literalLength(phrase); literal > most && literal < phrase.size())
            if (auto filled = valuesOf(phrase, english)) {
                most = literal;
                best = german;
                values = std::move(*filled);
            }
    if (best.empty())
        return std::string(english);
    fmt::dynamic_format_arg_store<fmt::format_context> arguments;
    for (const std::string& value : values)
        arguments.push_back(translatedNote(value));
    return fmt::vformat(best, arguments);
}

std::vector<std::string> untranslated()
{
    return {missing.begin(), missing.end()};
}

} // namespace headscope::experiments
