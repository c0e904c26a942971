// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/source.h"

#include "app/figures/documents/sessionfigure.h"
#include "app/figures/statewords.h"
#include "core/base/foldernames.h"
#include "core/base/hash.h"
#include "core/engine/scoring/pairs/boundaryrule.h"
#include "core/engine/scoring/rankedtask.h"
#include "core/tasks/registry.h"
#include "sessions/file/sessionpaths.h"
#include "sessions/results/bestseries.h"
#include "sessions/rows/examplerows.h"
#include "sessions/uistates.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace headscope::figures {

using namespace Qt::StringLiterals;
using sessions::ModelRecord;
using sessions::RankingRecord;

namespace {

constexpr const char* kGroups[] = {"mmlu_", "bbh_cot_fewshot_"}; ///< tasks that are shown as one

bool isModel(const ModelRecord& model, const std::string& name)
{
    return model.name == name || (name.size() >= 6 && model.hash.starts_with(name));
}

std::string groupOf(const std::string& task)
{
    for (const std::string prefix : kGroups)
        if (task.starts_with(prefix))
            return prefix.substr(0, prefix.find('_'));
    return task;
}

// The heads of the newest analysis that measured this: "attribution", "patching", "copying", "probe induction".
std::optional<sessions::RankingRecord> analysed(sessions::SessionStore& session, const ModelRecord& model,
                                                const std::string& method)
{
    const bool probe = method.starts_with("probe ");
    const std::string kind = probe ? "probe" : method == "copying" ? "weights" : method;
    const std::string measure = probe                     ? method.substr(6)
                                : method == "attribution" ? "adds"
                                : method == "patching"    ? "share"
                                                          : method;
    const auto kept = need(sessions::newestAnalysis(session, model.hash, kind));
    if (!kept)
        return std::nullopt;
    auto ranking = headsOf(*kept, measure, method);
    return ranking.heads.empty() ? std::nullopt : std::optional(std::move(ranking));
}

} // namespace

sessions::RankingRecord headsOf(const sessions::AnalysisRecord& analysis, const std::string& measure,
                                const std::string& method)
{
    sessions::RankingRecord ranking{.modelHash = analysis.key.modelHash,
                                    .dtype = analysis.key.dtype,
                                    .device = analysis.key.device,
                                    .task = analysis.source,
                                    .method = method,
                                    .ablation = analysis.key.ablation,
                                    .created = analysis.created,
                                    .n = 1};
    for (const sessions::AnalysisValue& value : analysis.values)
        if (value.measure == measure && value.position < 0 && interventions::parseHead(value.part).has_value())
            ranking.heads.push_back({value.part, value.value, 0, value.low, value.high});
    std::ranges::stable_sort(ranking.heads, std::greater(),
                             [](const sessions::RankedHead& head) { return std::abs(head.value); });
    return ranking;
}

int pairsOf(const std::string& task)
{
    const auto at = task.find("pairs=");
    return at == std::string::npos ? -1 : std::atoi(task.c_str() + at + 6);
}

namespace {

QString analysisName(const std::string& analysis)
{
    return analysis == "lens"          ? FigureText::tr("lens")
           : analysis == "patching"    ? FigureText::tr("patching")
           : analysis == "attribution" ? FigureText::tr("attribution")
           : analysis == "edges"       ? FigureText::tr("edges")
           : analysis == "compare"     ? FigureText::tr("comparison of heads")
           : analysis == "series"      ? FigureText::tr("series")
           : analysis == kRowOfHeads   ? FigureText::tr("one row of all heads")
                                       : text(analysis);
}

} // namespace

std::string taskTitle(const std::string& task)
{
    static const std::map<std::string, const char*> titles = {
        {"toy_mc", QT_TRANSLATE_NOOP("FigureText", "MC (4 options)")},
        {"toy_knowledge", QT_TRANSLATE_NOOP("FigureText", "knowledge")},
        {"mmlu", "MMLU"},
        {"lambada_openai", "LAMBADA"},
        {"gsm8k", "GSM8K"},
        {"swde", "SWDE"},
        {"bbh", "BBH"},
        {"passage_mc", QT_TRANSLATE_NOOP("FigureText", "MC on a passage")},
        {"ioi", QT_TRANSLATE_NOOP("FigureText", "names")},
        {"facts", QT_TRANSLATE_NOOP("FigureText", "made-up facts")},
        {"cloze", QT_TRANSLATE_NOOP("FigureText", "last word of a paragraph")},
        {"piqa", "PIQA"},
        {"arc_challenge", "ARC-Challenge"},
        {"arc_easy", "ARC-Easy"},
        {"winogrande", "Winogrande"},
        {"hellaswag", "HellaSwag"},
        {"openbookqa", "OpenBookQA"}};
    if (const auto ruled = engine::taskFromCommonPrefix(task))
        return taskTitle(*ruled) + FigureText::tr(" (from the longest common prefix)").toStdString();
    const int pairs = pairsOf(task);
    if (tasks::isDictionaryTask(task))
        return (pairs > 0 ? FigureText::tr("KV retrieval, %1 pairs").arg(pairs) : FigureText::tr("KV retrieval"))
            .toStdString();
    const auto found = titles.find(task);
    return found == titles.end() ? task : FigureText::tr(found->second).toStdString();
}

QString stateName(const std::string& ablation)
{
    const auto set = interventions::InterventionSet::parse(ablation);
    return set.has_value() && !(set->empty() && !ablation.empty()) ? stateWords(*set)
                                                                   : text(ablationWithoutFolders(ablation));
}

std::string Source::numberOf(const std::string& ablation)
{
    if (!m_numbers) {
        m_numbers.emplace();
        auto known = need(m_session.ablations());
        std::ranges::sort(known); // as on a page of the session
        std::map<std::string, int> uses;
        for (const std::string& one : known)
            if (const int use = ++uses[ablationWithoutFolders(one)]; use > 1)
                m_numbers->emplace(one, " (" + std::to_string(use) + ")");
    }
    const auto found = m_numbers->find(ablation);
    return found == m_numbers->end() ? std::string() : found->second;
}

std::string Source::ablatedWords(const std::string& ablation)
{
    return (ablation.empty() ? FigureText::tr("nothing ablated")
                             : FigureText::tr("ablated: %1").arg(text(ablationText(ablation))))
        .toStdString();
}

std::string Source::dictionaryKind(const std::string& task)
{
    if (!tasks::isDictionaryTask(task))
        return {};
    const auto kindOf = [](const std::string& name) { return name.substr(0, name.find_first_of(":;")); };
    const std::string kind = kindOf(task);
    const bool several = std::ranges::any_of(allScores(), [&](const sessions::SeriesScore& row) {
        return row.n > 0 && tasks::isDictionaryTask(row.series.task) && kindOf(row.series.task) != kind;
    });
    return several ? " (" + kind + ")" : std::string();
}

widgets::Estimate GroupScore::estimate() const
{
    const analysis::Interval interval = analysis::wilsonInterval(correct, n);
    return {value(), interval.low, interval.high};
}

std::vector<ModelRecord> Source::models(const std::vector<std::string>& names) const
{
    if (names.empty())
        return m_models;
    std::vector<ModelRecord> found;
    for (const std::string& name : names) {
        const auto it = std::find_if(m_models.begin(), m_models.end(),
                                     [&](const ModelRecord& model) { return isModel(model, name); });
        if (it == m_models.end())
            throw Missing("The session has no model '" + name + "'.");
        found.push_back(*it);
    }
    return found;
}

const ModelRecord& Source::model(const std::string& hash) const
{
    const auto it =
        std::find_if(m_models.begin(), m_models.end(), [&](const ModelRecord& model) { return model.hash == hash; });
    if (it == m_models.end())
        throw Missing("The session has no model with the hash '" + hash + "'.");
    return *it;
}

namespace {

// The words of a recipe of before maps of mixers without D stopped to speak of it.
std::string earlierText(sessions::PatternInfo info)
{
    info.convention.hasD = true;
    return sessions::conventionText(info);
}

} // namespace

sessions::PatternRecord Source::pattern(const PatternRef& ref)
{
    const auto all = need(m_session.patterns());
    const sessions::PatternInfo* chosen = nullptr;
    for (const sessions::PatternInfo& info : all)
        if ((ref.model.empty() || isModel(model(info.modelHash), ref.model)) && info.head == ref.head
            && info.ablation == ref.ablation && info.promptHash.starts_with(ref.prompt)
            && (ref.convention.empty() || sessions::conventionText(info) == ref.convention
                || earlierText(info) == ref.convention)
            && (ref.dtype.empty() || info.dtype == ref.dtype))
            chosen = &info;
    if (!chosen)
        throw Missing("The session has no pattern of " + (ref.model.empty() ? "" : ref.model + " ") + ref.head
                      + (ref.prompt.empty() ? "" : " for that prompt")
                      + (ref.ablation.empty() ? "" : " with " + ref.ablation)
                      + "; keep one with 'headscope-cli pattern MODEL --head " + ref.head + " --session FILE'.");
    const ModelRecord& of = model(chosen->modelHash);
    used(of, chosen->dtype, {},
         chosen->head + ", "
             + FigureText::tr("prompt %1").arg(text(chosen->promptHash.substr(0, kHashDigits))).toStdString()
             + (chosen->source.empty() ? "" : " (" + sessions::withoutFolders(chosen->source) + ")") + ", "
             + ablatedWords(chosen->ablation));
    return need(m_session.pattern(chosen->id));
}

namespace {

// What makes the numbers of a method.
std::string commandFor(const std::string& method, const std::string& model)
{
    const std::string probe = "probe ";
    if (method == "copying")
        return "weights " + model;
    if (method.starts_with(probe))
        return probe + model + " --method " + method.substr(probe.size())
               + (method == "probe retrieval" ? " --task TASK" : "");
    if (method == "attribution")
        return "attribute " + model + " --task TASK --sample 0";
    if (method == "patching")
        return "patch " + model + " --what heads --task TASK --sample 0";
    return "rank " + model + " --task TASK --method " + method;
}

} // namespace

sessions::RankingRecord Source::ranking(const ModelRecord& model, const std::string& method,
                                        const std::vector<std::string>& tasks)
{
    std::optional<sessions::RankingRecord> chosen;
    for (sessions::RankingRecord& ranking : need(m_session.rankings())) {
        const bool fits = tasks.empty() || std::any_of(tasks.begin(), tasks.end(), [&](const std::string& task) {
                              return ranking.task.starts_with(task);
                          });
        // On a task of this very name ("pairs=2" begins "pairs=24", too), then of the unchanged model, then over most
        // heads, then the newest.
        const auto rank = [&tasks](const sessions::RankingRecord& one) {
            return std::tuple(std::ranges::find(tasks, one.task) != tasks.end(), one.ablation.empty(),
                              one.heads.size());
        };
        if (ranking.modelHash == model.hash && ranking.method == method && fits
            && (!chosen || rank(ranking) >= rank(*chosen)))
            chosen = std::move(ranking);
    }
    if (!chosen)
        chosen = analysed(m_session, model, method);
    if (!chosen)
        throw Missing("The session has no ranking of " + model.name + " by '" + method
                      + "'; make one with 'headscope-cli " + commandFor(method, model.name) + " --session FILE'.");
    return *chosen;
}

sessions::AnalysisRecord Source::analysisOf(const ModelRecord& model, const PanelRecipe& panel)
{
    std::optional<sessions::AnalysisKey> chosen; // of several the newest, which comes last
    for (const sessions::AnalysisRecord& kept : need(sessions::analyses(m_session)))
        if (kept.key.modelHash == model.hash && kept.key.kind == panel.analysis
            && (panel.question.empty() || questionId(kept.key) == panel.question))
            chosen = kept.key;
    auto kept = chosen ? need(sessions::storedAnalysis(m_session, *chosen)) : std::nullopt;
    if (!kept)
        throw Missing("The session has no " + panel.analysis + " of " + model.name
                      + (panel.question.empty() ? "" : " with the number " + panel.question)
                      + "; keep one from the window's Analyse menu, or with the command for it and --session FILE.");
    used(model, kept->key.dtype, kept->key.device,
         FigureText::tr("%1 of %2", "an analysis of a text")
                 .arg(analysisName(panel.analysis), text(sessions::withoutFolders(kept->source)))
                 .toStdString()
             + ", " + ablatedWords(kept->key.ablation));
    return std::move(*kept);
}

std::vector<experiments::Report> Source::reports()
{
    std::vector<experiments::Report> all;
    for (const auto& [key, json] : need(sessions::uiStates(m_session, experiments::kReports)))
        if (auto report = experiments::parseReport(json); report.has_value())
            all.push_back(std::move(*report));
    return all;
}

experiments::Report Source::report(const std::string& id, const std::vector<std::string>& models)
{
    const auto json = need(m_session.uiState(experiments::reportKey(id, models)));
    if (!json)
        throw Missing("The session has no run of the experiment '" + id
                      + "' on these models; make one with "
                        "'headscope-cli experiment "
                      + id + " --session FILE'.");
    experiments::Report report = need(experiments::parseReport(*json));
    for (std::size_t i = 0; i < report.measuredOn.size(); ++i) {
        const std::string name =
            report.measuredOn[i]
            + (i < report.hashes.size() ? " (" + report.hashes[i].substr(0, kHashDigits) + ")" : std::string());
        if (std::none_of(m_used.begin(), m_used.end(), [&](const auto& entry) { return entry.first == name; }))
            m_used.push_back({name, {FigureText::tr("experiment %1").arg(text(id)).toStdString()}});
    }
    return report;
}

std::map<std::string, std::string> Source::labels(const ModelRecord& model)
{
    std::map<std::string, std::string> names;
    for (const sessions::HeadLabel& label : need(m_session.labels(model.hash)))
        names[label.head] = label.name;
    return names;
}

const std::vector<sessions::SeriesScore>& Source::allScores()
{
    if (m_scores)
        return *m_scores;
    m_scores = need(m_session.scores());
    std::map<std::pair<std::string, std::string>, const sessions::SeriesScore*> chosen; // by model and task
    for (const sessions::SeriesScore& row : *m_scores) {
        const auto [it, fresh] = chosen.try_emplace({row.series.modelHash, row.series.task}, &row);
        const auto rank = [](const sessions::SeriesScore& score) {
            return score.series.ablation.empty() && score.n > 0;
        };
        if (!fresh && (rank(row) != rank(*it->second) ? rank(row) : sessions::isMoreInformative(row, *it->second)))
            it->second = &row;
    }
    std::vector<sessions::SeriesScore> same;
    for (const sessions::SeriesScore& row : *m_scores)
        (sessions::sameRows(row.series, chosen[{row.series.modelHash, row.series.task}]->series) ? same : m_otherRows)
            .push_back(row);
    m_scores = std::move(same);
    return *m_scores;
}

std::vector<sessions::SeriesScore> Source::scores(const ModelRecord& model, const std::string& task,
                                                  const std::string& ablation)
{
    std::map<std::string, sessions::SeriesScore> best;
    for (const sessions::SeriesScore& row : allScores()) {
        if (row.series.modelHash != model.hash || row.series.ablation != ablation || row.n == 0)
            continue;
        if (groupOf(row.series.task) != task && !row.series.task.starts_with(task))
            continue;
        const auto [it, fresh] = best.try_emplace(row.series.task, row);
        if (!fresh && sessions::isMoreInformative(row, it->second))
            it->second = row;
    }
    std::vector<sessions::SeriesScore> rows;
    for (const auto& [name, row] : best)
        rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return pairsOf(a.series.task) < pairsOf(b.series.task); });
    return rows;
}

std::vector<std::string> Source::states(const ModelRecord& model, const std::string& task)
{
    std::vector<std::string> found;
    for (const sessions::SeriesScore& row : allScores())
        if (row.series.modelHash == model.hash && !row.series.ablation.empty() && row.n > 0
            && (groupOf(row.series.task) == task || row.series.task.starts_with(task))
            && std::find(found.begin(), found.end(), row.series.ablation) == found.end())
            found.push_back(row.series.ablation);
    return found;
}

std::vector<std::string> Source::groups(const ModelRecord& model)
{
    std::set<std::pair<std::pair<std::string, int>, std::string>> names;
    for (const sessions::SeriesScore& row : allScores())
        if (row.series.modelHash == model.hash && row.n > 0) {
            const std::string group = groupOf(row.series.task);
            names.insert({{group.substr(0, group.find(':')), pairsOf(group)}, group});
        }
    std::vector<std::string> groups;
    for (const auto& [order, name] : names)
        groups.push_back(name);
    return groups;
}

namespace {

void addRow(GroupScore& line, const sessions::SeriesScore& row)
{
    line.n += row.n;
    line.correct += row.correct;
    line.dtype = row.series.dtype;
    line.device = row.series.device;
    line.commonPrefix = engine::isFromCommonPrefix(row.series.taskVersion);
    line.series.push_back(row.series);
}

} // namespace

std::optional<GroupScore> Source::baselineOf(const GroupScore& now)
{
    GroupScore before{.model = now.model, .group = now.group};
    for (const sessions::SeriesKey& key : now.series)
        if (const auto row = std::ranges::find(allScores(), sessions::baselineOf(key), &sessions::SeriesScore::series);
            row != allScores().end())
            addRow(before, *row);
    return before.n > 0 ? before : line(now.model, now.group, {});
}

std::optional<GroupScore> Source::line(const ModelRecord& model, const std::string& group, const std::string& ablation)
{
    GroupScore line{.model = model, .group = group, .ablation = ablation};
    for (const sessions::SeriesScore& row : scores(model, group, ablation)) {
        if (row.series.task != group && groupOf(row.series.task) != group)
            continue;
        addRow(line, row);
        if (ablation.empty())
            continue;
        const analysis::PairedCounts paired =
            need(sessions::pairedTotals(m_session, sessions::baselineOf(row.series), row.series)).acc;
        line.paired.bothRight += paired.bothRight;
        line.paired.lost += paired.lost;
        line.paired.gained += paired.gained;
        line.paired.bothWrong += paired.bothWrong;
    }
    return line.n > 0 ? std::optional(line) : std::nullopt;
}

void Source::used(const GroupScore& line)
{
    auto& states = m_lines[usedModel(line.model, line.dtype, line.device)];
    const std::string words = ablationText(line.ablation);
    auto state = std::ranges::find(states, words, &std::pair<std::string, std::vector<std::string>>::first);
    if (state == states.end())
        state = states.insert(states.end(), {words, {}});
    const std::string task = titleOf(engine::rankedTask(line.group, line.commonPrefix));
    if (std::ranges::find(state->second, task) == state->second.end())
        state->second.push_back(task);
    for (const sessions::SeriesKey& key : line.series)
        leaveOutOthers(key);
}

void Source::leaveOutOthers(const sessions::SeriesKey& drawn)
{
    const auto isOther = [&drawn](const sessions::SeriesScore& row) {
        return row.n > 0 && row.series.modelHash == drawn.modelHash && row.series.task == drawn.task;
    };
    const QString title = text(titleOf(groupOf(drawn.task)));
    if (std::ranges::any_of(allScores(), [&](const sessions::SeriesScore& row) {
            return isOther(row) && row.series.ablation == drawn.ablation && row.series.inputs != drawn.inputs;
        }))
        leaveOut(FigureText::tr("%1 with other inputs").arg(title));
    if (std::ranges::any_of(m_otherRows, isOther))
        leaveOut(FigureText::tr("%1 on other rows or by other rules").arg(title));
}

std::size_t Source::usedModel(const ModelRecord& model, const std::string& dtype, const std::string& device)
{
    const std::string name =
        model.name + " (" + model.hash.substr(0, kHashDigits)
        + (model.revision.empty() ? "" : ", revision " + model.revision) + "), "
        + (device.empty()
               ? dtype
               : FigureText::tr("%1 on %2", "number type, device").arg(text(dtype), text(device)).toStdString());
    auto it = std::find_if(m_used.begin(), m_used.end(), [&](const auto& entry) { return entry.first == name; });
    if (it == m_used.end())
        it = m_used.insert(m_used.end(), {name, {}});
    return static_cast<std::size_t>(it - m_used.begin());
}

void Source::used(const ModelRecord& model, const std::string& dtype, const std::string& device,
                  const std::string& what)
{
    const auto it = m_used.begin() + static_cast<std::ptrdiff_t>(usedModel(model, dtype, device));
    if (std::find(it->second.begin(), it->second.end(), what) == it->second.end())
        it->second.push_back(what);
}

void Source::used(const ModelRecord& model, const RankingRecord& ranking)
{
    const QString what =
        ranking.method == "exact"
            ? FigureText::tr("exact ablation ranking on %1, n = %2").arg(text(nameWithoutFolders(ranking.task)))
            : FigureText::tr("ranking by %1 on %2, n = %3")
                  .arg(text(ranking.method), text(nameWithoutFolders(ranking.task)));
    used(model, ranking.dtype, ranking.device,
         what.arg(ranking.n).toStdString() + (ranking.ablation.empty() ? "" : ", " + ablatedWords(ranking.ablation)));
}

void Source::note(const QString& sentence)
{
    auto known = std::ranges::find(m_notes, sentence, &std::pair<QString, QStringList>::first);
    if (known == m_notes.end())
        known = m_notes.insert(known, {sentence, {}});
    if (!m_part.isEmpty() && !known->second.contains(m_part))
        known->second << m_part;
}

QString Source::captionEnd() const
{
    QStringList sentences;
    for (const auto& [sentence, parts] : m_notes)
        sentences << (parts.isEmpty() ? sentence : parts.join(u", "_s) + u": "_s + sentence);
    if (const QString rest = leftOut(); !rest.isEmpty())
        sentences << rest;
    return sentences.join(u' ');
}

QString Source::leftOut() const
{
    constexpr qsizetype kNamed = 3;
    QStringList different = m_leftOut;
    different.removeDuplicates();
    if (different.isEmpty())
        return {};
    const qsizetype more = different.size() > kNamed + 1 ? different.size() - kNamed : 0;
    return FigureText::tr("Not drawn: ") + different.first(different.size() - more).join(u"; "_s)
           + (more > 0 ? FigureText::tr("; and %1 more").arg(more) : QString()) + u'.';
}

// States that were scored on the same tasks are told together.
QStringList Source::linesText(const std::vector<std::pair<std::string, std::vector<std::string>>>& states)
{
    std::vector<std::pair<std::vector<std::string>, QStringList>> told;
    for (const auto& [state, tasks] : states) {
        auto same = std::ranges::find(told, tasks, &std::pair<std::vector<std::string>, QStringList>::first);
        if (same == told.end())
            same = told.insert(told.end(), {tasks, {}});
        same->second << (state.empty() ? FigureText::tr("nothing ablated") : text(state));
    }
    QStringList words;
    for (const auto& [tasks, ablations] : told) {
        QStringList names;
        for (const std::string& task : tasks)
            names << text(task);
        words << names.join(u"; "_s)
                     + (ablations == QStringList{FigureText::tr("nothing ablated")}
                            ? QString()
                            : u" ("_s + ablations.join(u"; "_s) + u')');
    }
    return words;
}

QString Source::provenance() const
{
    QStringList parts;
    for (std::size_t i = 0; i < m_used.size(); ++i) {
        const auto& [name, items] = m_used[i];
        QStringList words;
        for (const std::string& item : items)
            words << text(item);
        if (const auto lines = m_lines.find(i); lines != m_lines.end())
            words << linesText(lines->second);
        parts << text(name) + u": "_s + words.join(u"; "_s);
    }
    parts << u"Headscope "_s + QStringLiteral(HEADSCOPE_VERSION);
    return parts.join(u". "_s) + u'.';
}

} // namespace headscope::figures
