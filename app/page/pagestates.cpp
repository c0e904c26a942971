// SPDX-License-Identifier: GPL-3.0-or-later
// The states of a page: what each scored, which examples flipped, and how sure it is of the samples' answers.
#include "app/page/pageparts.h"

#include "core/analysis/multiplicity.h"
#include "core/base/foldernames.h"
#include "core/base/samplesource.h"
#include "core/interventions/intervention.h"
#include "sessions/results/bestseries.h"
#include "sessions/rows/examplerows.h"
#include "sessions/sessionstore.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace headscope::page {

namespace {

using interventions::EditHead;
using sessions::SeriesScore;

constexpr std::size_t kFlips = 12;            ///< of a state and benchmark
constexpr std::size_t kPromptBytes = 4000;    ///< of an example
constexpr std::size_t kSearchedRows = 20'000; ///< of a task, for the example that a sample is

/// Heads that are zeroed everywhere, where nothing else is done.
std::vector<std::string> zeroedHeads(const std::string& ablation)
{
    const auto set = interventions::InterventionSet::parse(ablation);
    std::vector<std::string> heads;
    if (!set.has_value())
        return heads;
    for (const auto& item : set->items()) {
        const auto* edit = std::get_if<EditHead>(&item);
        if (!edit || *edit != EditHead{.head = edit->head})
            return {};
        heads.push_back(interventions::toText(edit->head));
    }
    return heads;
}

/// A head of Mamba-1 is a channel, which maps call L2C5 and ablations L2H5.
std::string namedAs(const Model& model, std::string head)
{
    const auto layer = static_cast<std::size_t>(std::atoi(head.c_str() + 1));
    const bool channels = layer < model.layers.size() && !model.layers[layer].empty()
                          && model.layers[layer].front().name.find('C') != std::string::npos;
    if (const auto letter = head.find('H'); channels && letter != std::string::npos)
        head[letter] = 'C';
    return head;
}

int numberAfter(const std::string& text, std::string_view key)
{
    const auto at = text.find(key);
    return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + key.size());
}

int taskPlace(Data& data, const std::string& name)
{
    const std::string shown = nameWithoutFolders(name);
    const auto found = std::ranges::find(data.tasks, shown, &Task::name);
    if (found != data.tasks.end())
        return static_cast<int>(found - data.tasks.begin());
    data.tasks.push_back({shown, shown.substr(0, shown.find(':')), numberAfter(shown, "pairs=")});
    return static_cast<int>(data.tasks.size()) - 1;
}

std::optional<double> goldProbability(const sessions::ExampleRecord& example, const sessions::ResultRecord& result)
{
    const auto gold = static_cast<std::size_t>(std::max(example.gold, 0));
    if (example.gold < 0 || gold >= result.logLikelihoods.size())
        return std::nullopt;
    return std::exp(result.logLikelihoods[gold]);
}

std::string goldOf(const sessions::ExampleRecord& example)
{
    const auto gold = static_cast<std::size_t>(std::max(example.gold, 0));
    return example.gold >= 0 && gold < example.continuations.size() ? example.continuations[gold] : std::string();
}

/// The words of an answer, where the session knows them.
std::string answerOf(const sessions::ExampleRecord& example, const sessions::ResultRecord& result)
{
    constexpr std::size_t kAnswerBytes = 300;
    if (!result.generated.empty())
        return shortened(result.generated, kAnswerBytes);
    const auto chosen = static_cast<std::size_t>(std::max(result.prediction, 0));
    if (result.prediction >= 0 && chosen < example.continuations.size())
        return shortened(example.continuations[chosen], kAnswerBytes);
    return {};
}

/// Adds examples once, however many states they flip in.
class Examples
{
public:
    explicit Examples(Data& data) : m_data(data) {}
    int place(const sessions::ExampleRecord& example)
    {
        const auto [it, fresh] = m_places.try_emplace(example.hash, static_cast<int>(m_data.examples.size()));
        if (fresh)
            m_data.examples.push_back({nameWithoutFolders(example.task), example.row,
                                       shortened(example.context, kPromptBytes), goldOf(example)});
        return it->second;
    }

private:
    Data& m_data;
    std::map<std::string, int> m_places;
};

std::vector<Flip> flipsOf(sessions::SessionStore& session, const SeriesScore& before, const SeriesScore& now,
                          Examples& examples)
{
    std::vector<std::int64_t> ids;
    for (const sessions::PairedExample& pair : need(sessions::pairedExamples(session, before.series, now.series)))
        if (pair.before != pair.now && ids.size() < kFlips)
            ids.push_back(pair.id);
    std::vector<Flip> flips;
    if (ids.empty())
        return flips;
    for (const sessions::ExamplePair& pair : need(sessions::examplePairs(session, before.series, now.series, ids)))
        flips.push_back({.example = examples.place(pair.example),
                         .gained = pair.now.correct.value_or(false),
                         .before = answerOf(pair.example, pair.before),
                         .now = answerOf(pair.example, pair.now),
                         .goldBefore = goldProbability(pair.example, pair.before),
                         .goldNow = goldProbability(pair.example, pair.now)});
    return flips;
}

Change changeOf(const analysis::PairedCounts& counts)
{
    Change change;
    static_cast<analysis::PairedChange&>(change) = analysis::pairedChange(counts);
    change.baseline = counts.before();
    change.n = counts.total();
    change.lost = counts.lost;
    change.gained = counts.gained;
    return change;
}

/// p values of a state's benchmarks are corrected together.
void correct(State& state)
{
    std::vector<double> p;
    for (const Score& score : state.scores)
        if (score.change)
            p.push_back(score.change->p);
    const std::vector<double> holm = analysis::holm(p);
    std::size_t next = 0;
    for (Score& score : state.scores)
        if (score.change)
            score.change->holm = holm[next++];
}

/// The benchmark example that a sample is, found by its prompt.
void findExample(sessions::SessionStore& session, Sample& sample)
{
    const auto source = parseSampleSource(sample.source);
    if (!source)
        return;
    auto ids = need(session.exampleIds(source->task));
    ids.resize(std::min(ids.size(), kSearchedRows));
    for (const sessions::ExampleRecord& example : need(session.examples(ids))) {
        const auto end = example.context.find_last_not_of(" \t\n\r\f\v");
        if (example.context.substr(0, end == std::string::npos ? 0 : end + 1) != sample.prompt)
            continue;
        sample.task = example.task;
        sample.example = example.hash;
        sample.gold = goldOf(example);
        return;
    }
}

void addAnswer(sessions::SessionStore& session, const SeriesScore& series, const Data& data, State& state)
{
    for (std::size_t i = 0; i < data.samples.size(); ++i) {
        const Sample& sample = data.samples[i];
        if (sample.example.empty() || sample.task != series.series.task)
            continue;
        const auto result = need(session.result(series.series, sample.example));
        const auto example = need(session.example(sample.example));
        if (!result || !example)
            continue;
        state.answers.push_back({.sample = static_cast<int>(i),
                                 .token = answerOf(*example, *result),
                                 .probability = {},
                                 .gold = goldProbability(*example, *result),
                                 .correct = result->correct});
    }
}

/// States in the order in which they are shown: nothing ablated first, then single heads, then others.
std::vector<std::string> statesOf(const std::vector<SeriesScore>& scores, const std::string& model)
{
    std::set<std::tuple<bool, std::size_t, std::string>> ordered;
    for (const SeriesScore& row : scores)
        if (row.series.modelHash == model && row.n > 0)
            ordered.insert(
                {!row.series.ablation.empty(), zeroedHeads(row.series.ablation).size(), row.series.ablation});
    std::vector<std::string> states;
    for (const auto& [ablated, heads, text] : ordered)
        states.push_back(text);
    return states;
}

std::set<std::string> tasksOf(const std::vector<SeriesScore>& scores, const std::string& model,
                              const std::string& ablation)
{
    std::set<std::string> tasks;
    for (const SeriesScore& row : scores)
        if (row.series.modelHash == model && row.series.ablation == ablation && row.n > 0)
            tasks.insert(row.series.task);
    return tasks;
}

/// Tasks of one kind by the size of their dictionaries, not by their letters.
void sortScores(const std::vector<Task>& tasks, State& state)
{
    std::ranges::sort(state.scores, {}, [&](const Score& score) {
        const Task& task = tasks[static_cast<std::size_t>(score.task)];
        return std::tuple(task.pairs == 0, task.kind, task.pairs);
    });
}

/// One series of a task and state is shown; says if there are others, whose rows cannot be added to its own.
void noteOthers(const std::vector<SeriesScore>& scores, const sessions::SeriesKey& shown, Data& data)
{
    for (const SeriesScore& score : scores) {
        const sessions::SeriesKey& other = score.series;
        if (score.n == 0 || other == shown || other.modelHash != shown.modelHash || other.task != shown.task
            || other.ablation != shown.ablation)
            continue;
        const LeftOut left{sessions::sameRows(other, shown)
                               ? "{0} was measured in another way, too; that is not shown."
                               : "{0} was measured on other rows, too; those are not shown.",
                           {nameWithoutFolders(other.task)}};
        if (std::ranges::find(data.leftOut, left) == data.leftOut.end())
            data.leftOut.push_back(left);
    }
}

State stateOf(sessions::SessionStore& session, const std::vector<SeriesScore>& scores, const std::string& ablation,
              int model, Data& data, Examples& examples)
{
    State state{.model = model, .ablation = ablation, .heads = zeroedHeads(ablation)};
    const std::string& hash = data.models[static_cast<std::size_t>(model)].hash;
    for (std::string& head : state.heads)
        head = namedAs(data.models[static_cast<std::size_t>(model)], head);
    for (const std::string& task : tasksOf(scores, hash, ablation)) {
        const SeriesScore* now = sessions::bestSeries(scores, hash, task, ablation);
        const SeriesScore* before = now && !ablation.empty() ? sessions::baselineFor(scores, *now) : nullptr;
        if (!now || now->n == 0)
            continue;
        Score score{.task = taskPlace(data, task),
                    .n = now->n,
                    .value = static_cast<double>(now->correct) / static_cast<double>(now->n),
                    .interval = analysis::wilsonInterval(now->correct, now->n),
                    .dtype = now->series.dtype,
                    .device = now->series.device};
        if (before) {
            score.change = changeOf(need(sessions::pairedTotals(session, before->series, now->series)).acc);
            if (score.change->lost + score.change->gained > 0)
                score.flips = flipsOf(session, *before, *now, examples);
        }
        addAnswer(session, *now, data, state);
        noteOthers(scores, now->series, data);
        state.scores.push_back(std::move(score));
    }
    correct(state);
    sortScores(data.tasks, state);
    return state;
}

} // namespace

void readStates(sessions::SessionStore& session, Data& data)
{
    for (Sample& sample : data.samples)
        findExample(session, sample);
    const auto scores = need(session.scores());
    const auto runs = need(session.runs());
    Examples examples(data);
    for (std::size_t place = 0; place < data.models.size(); ++place)
        for (const std::string& ablation : statesOf(scores, data.models[place].hash)) {
            State state = stateOf(session, scores, ablation, static_cast<int>(place), data, examples);
            for (const sessions::RunRecord& run : runs)
                if (run.modelHash == data.models[place].hash && run.ablation == ablation) {
                    state.name = ablationWithoutFolders(run.name);
                    state.note = run.note;
                }
            data.states.push_back(std::move(state));
        }
}

} // namespace headscope::page
