// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/page/pagesource.h"

#include "app/page/pageparts.h"
#include "core/analysis/patternscores.h"
#include "core/base/foldernames.h"
#include "core/tasks/registry.h"
#include "sessions/analyses.h"
#include "sessions/file/sessionpaths.h"
#include "sessions/rows/modelheadrows.h"
#include "sessions/sessionstore.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace headscope::page {

namespace {

/// Heads are named as everywhere: channels of Mamba-1 by C, mixers that share a layer by A and S.
Model modelOf(const sessions::ModelRecord& record)
{
    Model model{.name = nameWithoutFolders(record.name),
                .hash = record.hash,
                .family = record.family,
                .dtype = record.dtype,
                .device = record.device,
                .parameters = record.parameters};
    const auto layers = sessions::storedHeads(record);
    if (!layers.has_value())
        return model;
    for (std::size_t layer = 0; layer < layers->size(); ++layer) {
        std::vector<Head> heads;
        const bool several = (*layers)[layer].size() > 1;
        for (const sessions::StoredMixer& mixer : (*layers)[layer]) {
            const char* letter = mixer.headDim == 1 ? "C" : !several ? "H" : mixer.kind == "attention" ? "A" : "S";
            constexpr int kMostHeads = 512; // a row of a map; Mamba-1 has thousands of channels a layer
            for (int head = 0; head < std::min(mixer.heads, kMostHeads); ++head)
                heads.push_back({"L" + std::to_string(layer) + letter + std::to_string(head), mixer.kind});
        }
        model.layers.push_back(std::move(heads));
    }
    return model;
}

/// As the figures say it: heads that retrieval needs gather or aggregate, by what they look at.
void addRoles(const std::vector<Ranking>& rankings, int place, Model& model)
{
    std::map<std::string, std::map<std::string, double>> byMethod;
    for (const Ranking& ranking : rankings) {
        const bool costs = ranking.method == "exact" && tasks::isDictionaryTask(ranking.task);
        if (ranking.model != place || !ranking.ablation.empty() || (ranking.method == "exact" && !costs))
            continue;
        for (const sessions::RankedHead& head : ranking.heads)
            byMethod[ranking.method][head.head] = costs ? -head.delta : head.value;
    }
    if (!byMethod.contains("gather") || !byMethod.contains("aggregate"))
        return;
    for (const auto& [head, cost] : byMethod["exact"])
        if (cost >= analysis::kRetrievalHeadCost)
            model.roles[head] = analysis::aggregates(byMethod["gather"][head], byMethod["aggregate"][head]) ? "A" : "G";
}

std::string titleOf(const Data& data)
{
    std::string title;
    for (const Model& model : data.models)
        title += (title.empty() ? "" : " beside ") + model.name;
    return title;
}

/// What a person should see before the page is passed on.
void addNamesAndFolders(sessions::SessionStore& session, Data& data)
{
    std::set<std::string> folders;
    const auto look = [&folders](const std::string& text) {
        if (sessions::withoutFolders(text) != text || ablationWithoutFolders(text) != text)
            folders.insert(text);
    };
    for (const sessions::ModelRecord& model : need(session.models()))
        if (placeOf(data, model.hash) >= 0)
            for (const std::string& text : {model.name, model.source})
                look(text);
    for (const sessions::AnalysisRecord& analysis : need(sessions::analyses(session)))
        look(analysis.source);
    for (const State& state : data.states)
        look(state.ablation);
    data.folders.assign(folders.begin(), folders.end());

    std::set<std::string> names;
    for (const Model& model : data.models)
        for (const auto& [head, name] : model.labels)
            names.insert(head + ": " + name);
    for (const State& state : data.states)
        for (const std::string& text : {state.name, state.note})
            if (!text.empty())
                names.insert(text);
    data.names.assign(names.begin(), names.end());
}

/// Takes the folders out of texts. Those that would then read alike are numbered: the page knows states and rankings by
/// their texts.
void hideFolders(const std::vector<std::string*>& texts, std::string (*hidden)(std::string_view))
{
    std::map<std::string, std::string> shown;
    for (const std::string* text : texts)
        shown[*text];
    std::map<std::string, int> uses;
    for (auto& [text, words] : shown) {
        words = hidden(text);
        if (const int use = ++uses[words]; use > 1)
            words += " (" + std::to_string(use) + ")";
    }
    for (std::string* text : texts)
        *text = shown[*text];
}

void hideFolders(Data& data)
{
    std::vector<std::string*> ablations, tasks;
    for (State& state : data.states)
        ablations.push_back(&state.ablation);
    for (Pattern& pattern : data.patterns)
        ablations.push_back(&pattern.ablation);
    for (Analysis& analysis : data.analyses)
        ablations.push_back(&analysis.ablation);
    for (Ranking& ranking : data.rankings) {
        ablations.push_back(&ranking.ablation);
        tasks.push_back(&ranking.task);
    }
    hideFolders(ablations, ablationWithoutFolders);
    hideFolders(tasks, nameWithoutFolders);
}

} // namespace

std::string sentenceOf(const LeftOut& left)
{
    fmt::dynamic_format_arg_store<fmt::format_context> parts;
    for (const std::string& part : left.parts)
        parts.push_back(part);
    return fmt::vformat(left.text, parts);
}

int placeOf(const Data& data, std::string_view modelHash)
{
    const auto found = std::ranges::find(data.models, modelHash, &Model::hash);
    return found == data.models.end() ? -1 : static_cast<int>(found - data.models.begin());
}

std::string shortened(const std::string& text, std::size_t bytes)
{
    if (text.size() <= bytes)
        return text;
    std::size_t end = bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
        --end;
    return text.substr(0, end) + " …";
}

void readModels(sessions::SessionStore& session, const Options& options, Data& data)
{
    const auto records = need(session.models());
    const auto add = [&](const sessions::ModelRecord& record) {
        data.models.push_back(modelOf(record));
        for (const sessions::HeadLabel& label : need(session.labels(record.hash)))
            data.models.back().labels[label.head] = label.name;
    };
    if (options.models.empty())
        std::ranges::for_each(records, add);
    for (const std::string& hash : options.models) {
        const auto found = std::ranges::find(records, hash, &sessions::ModelRecord::hash);
        if (found == records.end())
            throw Unreadable(inputError("The session has no model with the hash '" + hash + "'."));
        add(*found);
    }
}

void readRankings(sessions::SessionStore& session, Data& data)
{
    for (sessions::RankingRecord& record : need(session.rankings())) {
        const int place = placeOf(data, record.modelHash);
        if (place < 0)
            continue;
        // A newer ranking of the same question is shown in place of the one before.
        std::erase_if(data.rankings, [&](const Ranking& earlier) {
            return earlier.model == place && earlier.task == record.task && earlier.method == record.method
                   && earlier.ablation == record.ablation && earlier.heads.size() <= record.heads.size();
        });
        data.rankings.push_back({.model = place,
                                 .task = record.task,
                                 .method = record.method,
                                 .ablation = record.ablation,
                                 .n = record.n,
                                 .heads = std::move(record.heads)});
    }
}

Result<Data> readPage(sessions::SessionStore& session, const Options& options)
try {
    Data data;
    readModels(session, options, data);
    if (data.models.empty())
        return inputError(
            "The session contains no model, so there is nothing to show; measure something first, e.g. with "
            "'headscope-cli rank MODEL --task TASK --session FILE'.");
    readRankings(session, data);
    for (std::size_t i = 0; i < data.models.size(); ++i)
        addRoles(data.rankings, static_cast<int>(i), data.models[i]);
    readPatterns(session, options, data);
    readStates(session, data);
    readAnalyses(session, data);
    addNamesAndFolders(session, data);
    hideFolders(data);
    data.title = options.title.empty() ? titleOf(data) : options.title;
    return data;
} catch (const Unreadable& fault) {
    return fault.error;
}

} // namespace headscope::page
