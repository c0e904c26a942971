// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/lab.h"

#include "core/analysis/statistics.h"
#include "core/tasks/ownmodels.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace headscope::experiments {

using interventions::InterventionSet;

namespace {

constexpr double kRounding = 1e-4; // nats
constexpr int kFacts = 300;        // of the shipped models' world

std::int64_t tokensOf(const engine::Benchmark& benchmark)
{
    std::int64_t tokens = benchmark.workload().tokens();
    for (const engine::EncodedExample& example : benchmark.workload().examples())
        tokens += static_cast<std::int64_t>(example.prompt.size());
    return tokens;
}

/// By more than rounding.
bool differ(const std::vector<std::optional<tasks::Outcome>>& a, const std::vector<std::optional<tasks::Outcome>>& b)
{
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!a[i] || !b[i])
            continue;
        for (std::size_t c = 0; c < a[i]->logLikelihoods.size(); ++c)
            if (std::abs(a[i]->logLikelihoods[c] - b[i]->logLikelihoods[c]) > kRounding)
                return true;
        if (a[i]->generated != b[i]->generated)
            return true;
    }
    return false;
}

/// Of every row the log-likelihood of its right continuation; empty where none was scored.
std::vector<std::optional<double>> rightLogLikelihoods(const Measured& measured)
{
    std::vector<std::optional<double>> all(measured.rows->outcomes.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& outcome = measured.rows->outcomes[i];
        const int gold = measured.benchmark->set().examples[i].gold;
        if (outcome && outcome->rejected.empty() && !outcome->logLikelihoods.empty())
            all[i] = outcome->logLikelihoods.size() == 1
                         ? outcome->logLikelihoods.front()
                         : outcome->logLikelihoods[static_cast<std::size_t>(std::max(gold, 0))];
    }
    return all;
}

/// The part of the model that runs: from the first layer that is touched to the last that is left.
double labPart(const lm::Edits& edits, int layers)
{
    const int first = edits.layers.empty() ? 0 : std::min(edits.layers.begin()->first, edits.layerCount);
    return static_cast<double>(std::max(edits.layerCount - first, 1)) / std::max(layers, 1);
}

} // namespace

std::string Suite::kv(int pairs) const
{
    return retrieval + ":pairs=" + std::to_string(pairs);
}

Suite suiteOf(const text::Tokenizer& tokenizer)
{
    switch (tasks::ownModelOf(tokenizer)) {
    case tasks::OwnModel::Tiny: return {true, "toy_mc", "toy_knowledge", "toy_knowledge", "toy_kv"};
    case tasks::OwnModel::English: return {true, "passage_mc", "facts", "facts", "word_kv"};
    case tasks::OwnModel::None: break;
    }
    return {false, "mmlu", "knowledge", "lambada_openai", "kv_retrieval"};
}

Result<void> forEachModel(Lab& lab, const std::function<Result<void>(const std::shared_ptr<Bench>&)>& measure)
{
    std::optional<Error> problem;
    bool any = false;
    for (const std::string& model : lab.models()) {
        const std::size_t before = lab.table().rows.size();
        const auto bench = lab.open(model);
        const auto done = bench.has_value() ? measure(*bench) : Result<void>(bench.error());
        any = any || done.has_value();
        if (done.has_value())
            continue;
        if (done.error().kind == Error::Kind::Cancelled || done.error().kind == Error::Kind::Internal)
            return done;
        lab.dropRows(before);
        lab.addNote("Left out: {}. {}", model.substr(model.rfind('/') + 1), done.error().message);
        problem = problem ? problem : done.error();
    }
    return any || !problem ? Result<void>() : Result<void>(*problem);
}

std::function<Result<void>(Lab&)> eachModel(std::function<Result<void>(Lab&, Bench&)> measure)
{
    return [measure = std::move(measure)](Lab& lab) {
        return forEachModel(lab, [&](const std::shared_ptr<Bench>& bench) { return measure(lab, *bench); });
    };
}

Cell Measured::cell() const
{
    Cell made;
    if (rows) {
        made.value = value;
        made.interval = interval;
        made.n = n;
        made.task = task;
        made.samples = samples;
        if (!perplexity && chance > 0)
            made.chance = chance;
    }
    return made;
}

Lab::Lab(const Experiment& experiment, LabSettings settings, Open open, RowSink sink, Control control)
    : m_settings(std::move(settings)), m_open(std::move(open)), m_sink(std::move(sink)), m_control(std::move(control))
{
    m_table.columns = experiment.columns;
    if (m_settings.models.empty())
        m_settings.models = experiment.models;
}

Result<std::shared_ptr<Bench>> Lab::open(const std::string& model)
{
    if (const auto found = m_benches.find(model); found != m_benches.end())
        return found->second;
    auto opened = m_open(model);
    if (!opened.has_value())
        return opened;
    (*opened)->suite = suiteOf(*(*opened)->tokenizer);
    if ((*opened)->suite.retrieval == "word_kv")
        addNote(
            "The small English models are too small for the paper's benchmarks: passage_mc stands for MMLU, made-up "
            "facts "
            "for the knowledge tasks, the perplexity of their last word for LAMBADA's, word_kv for KV retrieval.");
    else if ((*opened)->suite.toy)
        addNote(
            "The shipped models know 390 words: toy multiple choice stands for MMLU, toy knowledge for the knowledge "
            "tasks, the perplexity of its last word for LAMBADA's, toy KV retrieval for KV retrieval.");
    m_plan.weightBytes +=
        (*opened)->spec().parameters * static_cast<std::int64_t>(at::elementSize((*opened)->model->dtype()));
    m_benches[model] = *opened;
    return opened;
}

Result<std::shared_ptr<const engine::Benchmark>> Lab::benchmark(Bench& bench, const std::string& task)
{
    auto& made = bench.benchmarks[task];
    if (made)
        return made;
    tasks::TaskOptions options = m_settings.tasks;
    if ((task == "toy_knowledge" || task == "facts") && options.limit && *options.limit > kFacts)
        options.limit.reset(); // there are no more
    auto set = tasks::makeTask(task, options);
    if (!set.has_value())
        return set.error();
    for (const std::string& note : set->notes)
        addNote(note);
    auto benchmark = engine::Benchmark::make(std::move(*set), *bench.scorer, *bench.tokenizer, bench.bos);
    if (!benchmark.has_value())
        return benchmark;
    const auto& examples = (*benchmark)->workload().examples();
    if (std::none_of(examples.begin(), examples.end(), [](const auto& example) { return example.rejected.empty(); }))
        return inputError("None of the " + std::to_string(examples.size()) + " rows of '" + task
                          + "' can be scored with " + bench.name + "; the first: "
                          + (examples.empty() ? std::string("there is none.") : examples.front().rejected));
    return made = *benchmark;
}

void Lab::count(const engine::Benchmark& benchmark, double parts)
{
    m_plan.examples += static_cast<std::int64_t>(benchmark.set().examples.size());
    m_plan.tokens += parts * static_cast<double>(tokensOf(benchmark));
}

void Lab::planIndependent(const Bench& bench, const std::shared_ptr<const engine::Benchmark>& benchmark,
                          const std::vector<InterventionSet>& sets)
{
    auto& all = m_plan.independent;
    auto known = std::ranges::find_if(
        all, [&](const Plan::States& one) { return one.model == bench.name && one.benchmark == benchmark; });
    if (known == all.end())
        known = all.insert(all.end(), Plan::States{bench.name, benchmark, {}});
    for (const InterventionSet& set : sets)
        if (std::ranges::find(known->sets, set) == known->sets.end())
            known->sets.push_back(set);
}

Result<Measured> Lab::measure(Bench& bench, const std::string& task, const InterventionSet& set)
{
    const auto made = benchmark(bench, task);
    if (!made.has_value())
        return made.error();
    const auto edits = lm::resolve(set, bench.spec(), bench.donors, lm::Others::Examples);
    if (!edits.has_value())
        return edits.error();
    count(**made, labPart(*edits, bench.layers()));
    ++m_plan.scores;
    Measured measured{.task = task, .samples = (*made)->set().report.sample, .benchmark = *made};
    if (planning()) {
        m_plan.known += bench.known ? bench.known(**made, set) : 0;
        if (!m_ranked.contains(bench.name))
            planIndependent(bench, *made, {set});
        return measured;
    }
    Control control = m_control;
    if (control.report)
        control.report = [stage = bench.name + ", " + task + (set.empty() ? "" : ", " + set.canonical()),
                          report = m_control.report](const Progress& progress) {
            report({stage, progress.done, progress.total});
        };
    auto rows = bench.measure(**made, set, control);
    if (!rows.has_value())
        return rows.error();
    measured.rows = std::make_shared<const engine::Rows>(std::move(*rows));
    return measured;
}

Result<Measured> Lab::score(Bench& bench, const std::string& task, const InterventionSet& set)
{
    auto measured = measure(bench, task, set);
    if (!measured.has_value() || !measured->rows)
        return measured;
    auto summed = summarise(bench, measured->benchmark, *measured->rows);
    if (summed.has_value()) {
        summed->task = task;
        summed->samples = measured->samples;
    }
    return summed;
}

Result<Measured> Lab::summarise(const Bench& bench, std::shared_ptr<const engine::Benchmark> benchmark,
                                engine::Rows rows) const
{
    Measured measured{.benchmark = std::move(benchmark), .rows = std::make_shared<const engine::Rows>(std::move(rows))};
    const auto scores =
        tasks::aggregate(measured.benchmark->set(), measured.rows->results, {.bootstrapResamples = 0}, m_control);
    if (!scores.has_value())
        return scores.error();
    // LAMBADA's first number is its perplexity; here its accuracy is meant.
    const auto first = std::find_if(scores->begin(), scores->end(),
                                    [](const tasks::Score& score) { return score.metric != "perplexity"; });
    if (first == scores->end())
        return inputError("No row of '" + measured.benchmark->set().name + "' could be scored with " + bench.name
                          + ".");
    measured.value = first->value;
    measured.chance = first->chance;
    measured.n = first->n;
    measured.interval = first->wilson.value_or(analysis::Interval{0, 1});
    return measured;
}

Result<Measured> Lab::perplexity(Bench& bench, const std::string& task, const InterventionSet& set)
{
    auto measured = measure(bench, task, set);
    if (!measured.has_value() || planning())
        return measured;
    measured->perplexity = true;
    std::vector<double> known;
    for (const auto& right : rightLogLikelihoods(*measured))
        if (right)
            known.push_back(*right);
    measured->n = static_cast<int>(known.size());
    if (measured->n == 0)
        return inputError("No row of '" + task + "' has a scored continuation, so it has no perplexity.");
    const analysis::Mean mean = analysis::meanOf(known);
    const analysis::Interval range = mean.interval.value_or(analysis::Interval{mean.value, mean.value});
    measured->value = std::exp(-mean.value);
    measured->interval = {std::exp(-range.high), std::exp(-range.low)};
    return measured;
}

Result<engine::Comparison> Lab::compare(const Measured& before, const Measured& now) const
{
    if (planning())
        return engine::Comparison{};
    const auto compared = engine::compare(now.benchmark->set(), before.rows->results, now.rows->results);
    if (!compared.has_value())
        return compared.error();
    // LAMBADA's first number is its perplexity; here its accuracy is meant.
    const auto first = std::find_if(compared->begin(), compared->end(), [](const engine::Comparison& comparison) {
        return comparison.now.metric != "perplexity";
    });
    if (first == compared->end())
        return inputError("No row of '" + now.benchmark->set().name + "' was scored both times.");
    return *first;
}

Result<Contrast> Lab::contrast(const Measured& before, const Measured& now) const
{
    if (planning())
        return Contrast{};
    if (!now.perplexity) {
        const auto compared = compare(before, now);
        if (!compared.has_value())
            return compared.error();
        return Contrast{compared->delta, compared->interval, compared->p, compared->n};
    }
    std::vector<double> first, second;
    const auto then = rightLogLikelihoods(before), later = rightLogLikelihoods(now);
    for (std::size_t i = 0; i < std::min(then.size(), later.size()); ++i)
        if (then[i] && later[i]) { // a perplexity is the larger the smaller its log-likelihood
            first.push_back(-*then[i]);
            second.push_back(-*later[i]);
        }
    const auto t = analysis::pairedT(first, second);
    if (!t.has_value())
        return t.error();
    return Contrast{t->difference, t->interval, t->p, static_cast<int>(first.size())};
}

Result<Ranked> Lab::rank(Bench& bench, const std::string& task, const InterventionSet& fixed)
{
    const std::string key = bench.name + "\n" + task + "\n" + fixed.canonical();
    if (const auto found = m_rankings.find(key); found != m_rankings.end())
        return found->second;
    const auto made = benchmark(bench, task);
    if (!made.has_value())
        return made.error();
    const auto heads = engine::allHeads(bench.spec());
    Ranked ranked;
    if (planning()) {
        for (const auto& head : heads) {
            ranked.heads.push_back({head});
            count(**made, static_cast<double>(bench.layers() - head.layer) / bench.layers());
            m_plan.known += bench.known ? bench.known(**made, engine::without(fixed, std::span(&head, 1))) : 0;
        }
        ranked.live = heads;
        planIndependent(bench, *made, engine::removalStates(fixed, heads));
        m_ranked.insert(bench.name);
        return m_rankings[key] = ranked;
    }
    if (bench.prepare)
        if (const auto prepared = bench.prepare(**made, engine::removalStates(fixed, heads)); !prepared.has_value())
            return prepared.error();
    // The first call measures the model as it is, each further one the next head.
    std::optional<engine::Rows> whole;
    const auto rowsWithInterventions = [&, next = heads.begin()](const InterventionSet& set) mutable {
        auto rows = bench.measure(**made, set, {m_control.stop, {}});
        if (rows.has_value() && !whole)
            whole = *rows;
        else if (rows.has_value() && differ(whole->outcomes, rows->outcomes))
            ranked.live.push_back(*next++);
        else
            ++next;
        return rows;
    };
    auto removal = engine::RemovalRanking::start(**made, fixed, heads, rowsWithInterventions);
    if (!removal.has_value())
        return removal.error();
    while (!removal->done()) {
        if (const auto step = removal->step(); !step.has_value())
            return step.error();
        m_control.progress(bench.name + ", one head removed after the other",
                           static_cast<std::int64_t>(removal->measured().size()), removal->total());
    }
    ranked.heads = removal->sorted();
    if (bench.keepRanking)
        if (const auto kept = bench.keepRanking(**made, fixed, ranked.heads); !kept.has_value())
            return kept.error();
    return m_rankings[key] = ranked;
}

Result<std::string> Lab::distil(const DistillRequest& request) const
{
    if (!m_settings.distil)
        return inputError("This experiment makes models by distillation, which is not available here.");
    return m_settings.distil(request, m_control);
}

void Lab::add(Row row)
{
    m_table.rows.push_back(std::move(row));
    if (m_sink)
        m_sink(m_table.rows.back());
}

void Lab::dropRows(std::size_t from)
{
    m_table.rows.resize(from);
}

void Lab::addNote(const std::string& note)
{
    if (std::find(m_notes.begin(), m_notes.end(), note) == m_notes.end())
        m_notes.push_back(note);
}

} // namespace headscope::experiments
