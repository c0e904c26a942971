// SPDX-License-Identifier: GPL-3.0-or-later
// Analyses of a page, and the answers that lenses at the end of its samples tell.
#include "app/page/pageparts.h"

#include "core/base/foldernames.h"
#include "core/base/samplesource.h"
#include "core/base/words/counted.h"
#include "sessions/analyses.h"
#include "sessions/file/sessionpaths.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace headscope::page {

namespace {

constexpr std::array kShown = {"lens", "attribution", "patching", "edges", "knockout", "probe", "weights"};
constexpr std::size_t kMostAnalyses = 60;
constexpr std::size_t kMostValues = 20'000;

int sampleOfSource(const Data& data, const std::string& source)
{
    if (!parseSampleSource(source))
        return -1; // every text of one's own has the same source
    const auto found = std::ranges::find(data.samples, source, &Sample::source);
    return found == data.samples.end() ? -1 : static_cast<int>(found - data.samples.begin());
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
            const int sample = sampleOfSource(data, source);
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
                                 .ablation = ablationWithoutFolders(record->key.ablation),
                                 .source = source,
                                 .summary = record->summary,
                                 .stored = stored,
                                 .values = std::move(record->values)});
    }
    if (left > 0)
        data.leftOut.push_back(counted(left, "analysis is", "analyses are") + " left out; the page shows the first "
                               + std::to_string(kMostAnalyses) + ".");
}

} // namespace headscope::page
