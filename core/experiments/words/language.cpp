// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/words/language.h"

#include "core/experiments/words/phrases.h"

#include <nlohmann/json.hpp>

#include <map>
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
    return std::string(english);
}

std::vector<std::string> untranslated()
{
    return {missing.begin(), missing.end()};
}

} // namespace headscope::experiments
