// SPDX-License-Identifier: GPL-3.0-or-later
// Analyses of a page, and the answers that lenses at the end of its samples tell.
#include "app/page/pageparts.h"

#include "core/base/samplesource.h"
#include "sessions/analyses.h"
#include "sessions/file/sessionpaths.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace headscope::page {

namespace {

constexpr std::array kShown = {"lens", "attribution", "patching", "edges", "knockout", "probe", "weights"};
constexpr std::size_t kMostAnalyses = 60;
constexpr std::size_t kMostValues = 20'000;

/// Number of tokens that an analysis of one prompt asked about; 0: unknown.
std::size_t tokensOf(const std::string& questionJson)
{
    const auto question = nlohmann::json::parse(questionJson, nullptr, false);
    const nlohmann::json::json_pointer ids("/prompts/0/ids");
    return question.contains(ids) ? question[ids].size() : 0;
}

/// The sample that a lens looked at: tokenizers make several of one source, and words that suit them.
int sampleOfLens(const Data& data, int model, const std::string& source, const std::string& questionJson)
{
    if (!parseSampleSource(source))
        return -1; // every text of one's own has the same source
    const std::size_t tokens = tokensOf(questionJson);
    int found = -1;
    for (int place = 0; place < std::ssize(data.samples); ++place) {
        const Sample& sample = data.samples[static_cast<std::size_t>(place)];
        if (sample.source != source || sample.tokens.size() != tokens)
            continue;
        const bool own = std::ranges::any_of(
            data.patterns, [&](const Pattern& pattern) { return pattern.model == model && pattern.sample == place; });
        if (own)
            return place;
        found = found < 0 ? place : found;
    }
    return found;
}

int layerOfPart(const std::string& part)
{
    return part.starts_with("L") ? std::atoi(part.c_str() + 1) : -1;
}

/// What the last layer finds most probable at the last position; null: the lens did not look there.
const sessions::AnalysisValue* lastOfLens(const sessions::AnalysisRecord& record, const Data& data, int model,
                                          int sample)
{
    const int layers = static_cast<int>(data.models[static_cast<std::size_t>(model)].layers.size());
    const int last = static_cast<int>(data.samples[static_cast<std::size_t>(sample)].tokens.size()) - 1;
    for (const sessions::AnalysisValue& value : record.values)
        if (value.measure == "probability" && value.position == last && layerOfPart(value.part) == layers)
            return &value;
    return nullptr;
}

/// The words of a lens beside what the results know of the same example.
void addLensAnswer(Data& data, int model, int sample, const std::string& ablation, const sessions::AnalysisValue& told)
{
    auto state = std::ranges::find_if(data.states,
                                      [&](const State& one) { return one.model == model && one.ablation == ablation; });
    if (state == data.states.end())
        return;
    auto answer = std::ranges::find(state->answers, sample, &Answer::sample);
    if (answer == state->answers.end())
        answer = state->answers.insert(state->answers.end(), Answer{.sample = sample});
    answer->token = told.words;
    answer->probability = told.value;
}

bool looksAtOnePosition(const sessions::AnalysisRecord& record)
{
    const auto isOther = [first = -1](const sessions::AnalysisValue& value) mutable {
        if (value.measure != "probability")
            return false;
        const bool other = first >= 0 && value.position != first;
        first = first < 0 ? value.position : first;
        return other;
    };
    return std::ranges::none_of(record.values, isOther);
}

} // namespace

void readAnalyses(sessions::SessionStore& session, Data& data)
{
    std::size_t left = 0;
    for (const sessions::AnalysisRecord& kept : need(sessions::analyses(session))) {
        const int model = placeOf(data, kept.key.modelHash);
        if (model < 0 || std::ranges::find(kShown, kept.key.kind) == kShown.end())
            continue;
        auto record = need(sessions::storedAnalysis(session, kept.key));
        if (!record)
            continue;
        const std::string source = sessions::withoutFolders(record->source);
        if (record->key.kind == "lens") {
            const int sample = sampleOfLens(data, model, source, record->key.questionJson);
            const auto* told = sample < 0 ? nullptr : lastOfLens(*record, data, model, sample);
            if (told)
                addLensAnswer(data, model, sample, record->key.ablation, *told);
            if (looksAtOnePosition(*record))
                continue; // said beside the prompt
        }
        if (data.analyses.size() == kMostAnalyses) {
            ++left;
            continue;
        }
        const std::size_t stored = record->values.size();
        record->values.resize(std::min(stored, kMostValues));
        data.analyses.push_back({.model = model,
                                 .kind = record->key.kind,
                                 .ablation = record->key.ablation,
                                 .source = source,
                                 .summary = record->summary,
                                 .stored = stored,
                                 .values = std::move(record->values)});
    }
    if (left > 0)
        data.leftOut.push_back({left == 1 ? "{0} analysis is left out; the page shows the first {1}."
                                          : "{0} analyses are left out; the page shows the first {1}.",
                                {std::to_string(left), std::to_string(kMostAnalyses)}});
}

} // namespace headscope::page
