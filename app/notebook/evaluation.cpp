// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/notebook/evaluation.h"

#include "app/notebook/outsideinputs.h"
#include "sessions/results/resultwriter.h"

#include <optional>
#include <unordered_map>

namespace headscope::app {

namespace {

tasks::Outcome outcomeOf(const sessions::ResultRecord& record)
{
    tasks::Outcome outcome;
    outcome.logLikelihoods = record.logLikelihoods;
    outcome.greedy = record.greedy;
    outcome.greedy.resize(
        record.logLikelihoods.size()); // sessions before schema 5 kept it of single continuations only
    outcome.generated = record.generated;
    outcome.rejected = record.rejected;
    return outcome;
}

sessions::ResultRecord evaluationRecord(const std::string& hash, const tasks::Outcome& outcome,
                                        const tasks::RowResult& result, const tasks::LeafTask& leaf)
{
    sessions::ResultRecord record;
    record.exampleHash = hash;
    record.logLikelihoods = outcome.logLikelihoods;
    record.generated = outcome.generated;
    record.rejected = result.error;
    record.greedy = outcome.greedy;
    if (result.judgement) {
        record.prediction = result.judgement->prediction;
        record.correct = result.judgement->correct;
        for (std::size_t i = 0; i < leaf.metrics.size(); ++i)
            if (leaf.metrics[i].kind == tasks::Metric::Kind::AccNorm)
                record.correctNorm = result.judgement->values[i] == 1;
    }
    return record;
}

// Nothing is written where all of it is there: each write waits for the disk, and for other processes.
Result<void> putWhatResultsReferTo(sessions::SessionStore& session, const Subject& subject,
                                   const engine::Benchmark& benchmark)
{
    const auto known = session.holds(subject.model, benchmark.hashes());
    if (!known.has_value() || *known)
        return known.has_value() ? Result<void>() : Result<void>(known.error());
    const tasks::TaskSet& tasks = benchmark.set();
    std::vector<sessions::ExampleRecord> examples;
    for (std::size_t i = 0; i < tasks.examples.size(); ++i)
        examples.push_back(recordOf(tasks.examples[i], benchmark.hashes()[i]));
    for (const auto& stored :
         {session.putTokenizer(subject.tokenizer), session.putModel(subject.model), session.putExamples(examples)})
        if (!stored.has_value())
            return stored;
    return {};
}

} // namespace

Result<std::vector<bool>> Evaluation::known(sessions::SessionStore& session, const Subject& subject,
                                            const engine::Benchmark& benchmark,
                                            const interventions::InterventionSet& set)
{
    std::vector<bool> known(benchmark.hashes().size());
    for (const tasks::LeafTask& leaf : benchmark.set().leaves) {
        const auto done = session.doneExamples(seriesOf(subject, benchmark, leaf, set));
        if (!done.has_value())
            return done.error();
        for (std::size_t i = leaf.begin; i < leaf.end; ++i)
            known[i] = done->contains(benchmark.hashes()[i]);
    }
    return known;
}

Result<Evaluation> Evaluation::begin(sessions::SessionStore* session, const Subject& subject,
                                     const engine::Benchmark& benchmark, const interventions::InterventionSet& set,
                                     engine::Rows& rows, const engine::Benchmark::RowSink& sink)
{
    Evaluation evaluation;
    evaluation.m_benchmark = &benchmark;
    evaluation.m_subject = subject;
    evaluation.m_set = set;
    evaluation.m_outside = outsideInputs(subject, set);
    if (!session || session->readOnly())
        return evaluation;
    evaluation.m_session = session;

    // 1. Everything a result refers to must be there first; its series brings the ablation.
    const tasks::TaskSet& tasks = benchmark.set();
    if (const auto stored = putWhatResultsReferTo(*session, subject, benchmark); !stored.has_value())
        return stored.error();

    // 2. What the session knows is not run again.
    const sessions::SeriesKey common = seriesOf(subject, benchmark, tasks::LeafTask(), set);
    for (const tasks::LeafTask& leaf : tasks.leaves) {
        sessions::SeriesKey& key = evaluation.m_series[leaf.name] = common;
        key.task = leaf.name;
        key.rowSource = leaf.rowSource;
        key.taskVersion = leaf.version;
        const auto known = session->results(key);
        if (!known.has_value())
            return known.error();
        std::unordered_map<std::string, const sessions::ResultRecord*> byHash;
        for (const sessions::ResultRecord& record : *known)
            byHash[record.exampleHash] = &record;
        for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
            const auto it = byHash.find(benchmark.hashes()[i]);
            if (it == byHash.end() || rows.outcomes[i])
                continue;
            benchmark.put(rows, static_cast<int>(i), outcomeOf(*it->second));
            if (sink)
                sink(static_cast<int>(i), *rows.outcomes[i], rows.results[i]);
        }
    }
    return evaluation;
}

Result<void> Evaluation::run(engine::Scorer& scorer, const lm::DonorLoader& donors, engine::Rows& rows,
                             const engine::Benchmark::RowSink& sink, const Control& control,
                             const std::vector<bool>& only, sessions::ResultWriter* writer) const
{
    if (!m_session)
        return engine::runOnly(only, *m_benchmark, scorer, m_set, donors, rows, sink, control);
    std::optional<sessions::ResultWriter> own;
    sessions::ResultWriter& results = writer ? *writer : own.emplace(*m_session);
    Result<void> stored;
    std::stop_source stop;
    const std::stop_callback forward(control.stop, [&] { stop.request_stop(); });
    const auto keep = [&](int example, const tasks::Outcome& outcome, const tasks::RowResult& result) {
        const auto index = static_cast<std::size_t>(example);
        const tasks::LeafTask& leaf = m_benchmark->set().leafOf(index);
        if (stored.has_value() && outsideInputs(m_subject, m_set) != m_outside)
            stored =
                inputError("A file that '" + m_set.canonical()
                           + "' reads has changed while it was measured; what came out since is not stored. Run it "
                             "again.");
        if (stored.has_value())
            stored = results.add(m_series.at(leaf.name),
                                 evaluationRecord(m_benchmark->hashes()[index], outcome, result, leaf));
        if (!stored.has_value())
            stop.request_stop();
        if (sink)
            sink(example, outcome, result);
    };
    const auto run =
        engine::runOnly(only, *m_benchmark, scorer, m_set, donors, rows, keep, {stop.get_token(), control.report});
    if (own)
        if (const auto flushed = own->flush(); stored.has_value() && !flushed.has_value())
            stored = flushed;
    return stored.has_value() ? run : stored;
}

Result<void> evaluate(sessions::SessionStore* session, const Subject& subject, engine::Scorer& scorer,
                      const engine::Benchmark& benchmark, const interventions::InterventionSet& set,
                      const lm::DonorLoader& donors, engine::Rows& rows, const engine::Benchmark::RowSink& sink,
                      const Control& control)
{
    const auto evaluation = Evaluation::begin(session, subject, benchmark, set, rows, sink);
    return evaluation.has_value() ? evaluation->run(scorer, donors, rows, sink, control)
                                  : Result<void>(evaluation.error());
}

} // namespace headscope::app
