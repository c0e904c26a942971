// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/sharedrun.h"

#include "app/notebook/evaluation.h"
#include "core/engine/processes/chunkqueue.h"
#include "core/engine/processes/parts.h"
#include "core/engine/replacements.h"
#include "core/lm/device/device.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace headscope::cli {

using interventions::InterventionSet;

namespace {

/// Whether an outcome can be one of this example.
bool fits(const tasks::Example& example, const tasks::Outcome& outcome)
{
    if (!outcome.rejected.empty() || example.scoring == tasks::Scoring::Generation)
        return outcome.logLikelihoods.size() == outcome.greedy.size();
    return outcome.logLikelihoods.size() == example.continuations.size()
           && outcome.greedy.size() == outcome.logLikelihoods.size();
}

/// The chunks of sets on portions of the examples: run here, or read where another process ran them.
class SharedSets
{
public:
    SharedSets(OpenModel& open, const engine::Benchmark& benchmark, const std::vector<InterventionSet>& sets,
               int processes)
        : m_open(open), m_benchmark(benchmark), m_sets(sets), m_portions(sharedPortions(benchmark, sets, processes)),
          m_cut(engine::cutWork(static_cast<int>(sets.size()), static_cast<int>(m_portions.size()), processes))
    {
    }
    [[nodiscard]] const engine::Cut& cut() const { return m_cut; }
    /// All that decides what a chunk's rows are: as a session tells series and examples apart, and how they are cut.
    [[nodiscard]] std::string what() const
    {
        std::string text = std::to_string(m_cut.each);
        for (const InterventionSet& set : m_sets) {
            const sessions::SeriesKey key = app::seriesOf(m_open.subject, m_benchmark, tasks::LeafTask(), set);
            for (const std::string& part :
                 {key.modelHash, key.tokenizerHash, key.dtype, key.device, key.ablation, key.inputs})
                text += '\n' + part;
        }
        for (const tasks::LeafTask& leaf : m_benchmark.set().leaves)
            text += '\n' + leaf.name + '\n' + leaf.rowSource + '\n' + leaf.version;
        for (std::size_t i = 0; i < m_benchmark.hashes().size(); ++i) {
            text += '\n' + m_benchmark.hashes()[i];
            for (std::size_t portion = 0; portion < m_portions.size(); ++portion)
                if (m_portions[portion].rows[i])
                    text += ' ' + std::to_string(portion);
        }
        return text;
    }

    [[nodiscard]] Result<std::string> run(int chunk, const std::stop_token& stop)
    {
        if (const int portion = chunk / m_cut.together; portion != m_portion) {
            m_open.scorer->dropCache(); // what is kept is of another one
            m_portion = portion;
        }
        const std::vector<bool>& examples = m_portions[static_cast<std::size_t>(m_portion)].rows;
        const auto [begin, end] = setsOf(chunk % m_cut.together);
        std::vector<engine::OutcomeRow> part;
        for (std::size_t set = begin; set < end; ++set) {
            const auto begun = beginSet(set);
            if (!begun.has_value())
                return begun.error();
            engine::Rows& rows = (*begun)->rows;
            if (const auto ran =
                    (*begun)->evaluation.run(*m_open.scorer, m_open.donors, rows, {}, {stop, {}}, examples);
                !ran.has_value())
                return ran.error();
            for (std::size_t i = 0; i < examples.size(); ++i)
                if (examples[i] && rows.outcomes[i])
                    part.emplace_back((set - begin) * examples.size() + i, *rows.outcomes[i]);
            if (!m_open.store())
                m_begun.clear();
        }
        return engine::packRows(part);
    }

    /// Fails where a chunk holds rows that it should not.
    [[nodiscard]] Result<void> read(const std::vector<std::string>& results, const TakeRows& take,
                                    const std::stop_token& stop)
    {
        for (int group = 0; group < m_cut.together; ++group) {
            const auto [begin, end] = setsOf(group);
            std::vector<engine::Rows> all(end - begin, m_benchmark.emptyRows());
            for (int portion = 0; portion < m_cut.portions; ++portion)
                if (const auto put = putPart(all, results[static_cast<std::size_t>(portion * m_cut.together + group)],
                                             m_portions[static_cast<std::size_t>(portion)].rows);
                    !put.has_value())
                    return put;
            for (std::size_t set = begin; set < end; ++set) {
                engine::Rows& rows = all[set - begin];
                if (std::ranges::any_of(rows.outcomes, [](const auto& outcome) { return !outcome; }))
                    if (const auto ran = app::evaluate(m_open.store(), m_open.subject, *m_open.scorer, m_benchmark,
                                                       m_sets[set], m_open.donors, rows, {}, {stop, {}});
                        !ran.has_value())
                        return ran;
                if (const auto taken = take(set, std::move(rows)); !taken.has_value())
                    return taken;
            }
        }
        return {};
    }

private:
    /// A set with what the session knows of it.
    struct Begun {
        engine::Rows rows;
        app::Evaluation evaluation;
    };

    [[nodiscard]] std::pair<std::size_t, std::size_t> setsOf(int group) const
    {
        const std::size_t begin = static_cast<std::size_t>(group) * static_cast<std::size_t>(m_cut.each);
        return {begin, std::min(begin + static_cast<std::size_t>(m_cut.each), m_sets.size())};
    }
    [[nodiscard]] Result<Begun*> beginSet(std::size_t set)
    {
        auto found = m_begun.find(set);
        if (found == m_begun.end()) {
            engine::Rows rows = m_benchmark.emptyRows();
            auto evaluation =
                app::Evaluation::begin(m_open.store(), m_open.subject, m_benchmark, m_sets[set], rows, {});
            if (!evaluation.has_value())
                return evaluation.error();
            found = m_begun.emplace(set, Begun{std::move(rows), std::move(*evaluation)}).first;
        }
        return &found->second;
    }
    [[nodiscard]] Result<void> putPart(std::vector<engine::Rows>& all, const std::string& part,
                                       const std::vector<bool>& examples) const
    {
        const auto unpacked = engine::unpackRows(part);
        if (!unpacked.has_value())
            return unpacked.error();
        for (const auto& [place, outcome] : *unpacked) {
            const std::size_t set = place / examples.size(), example = place % examples.size();
            if (set >= all.size() || !examples[example] || !fits(m_benchmark.set().examples[example], outcome))
                return inputError("A process handed over rows that it was not to run; are all of them given the same "
                                  "arguments?");
            m_benchmark.put(all[set], static_cast<int>(example), outcome);
        }
        return {};
    }

    OpenModel& m_open;
    const engine::Benchmark& m_benchmark;
    const std::vector<InterventionSet>& m_sets;
    std::vector<engine::Portion> m_portions;
    engine::Cut m_cut;
    int m_portion = -1;                   ///< that was run last
    std::map<std::size_t, Begun> m_begun; ///< by set
};

} // namespace

// A set that takes values from all examples looks for them with each portion.
std::vector<engine::Portion> sharedPortions(const engine::Benchmark& benchmark,
                                            const std::vector<InterventionSet>& sets, int processes)
{
    const auto pieces = static_cast<int>(sets.size());
    const bool alone = std::ranges::none_of(sets, engine::hangsOnTheOthers);
    const int most = alone ? engine::mostPortions(pieces, processes) : pieces > processes ? 1 : processes;
    return engine::portionsOf(benchmark, most, processes);
}

Result<std::unique_ptr<engine::Processes>> joinProcesses(Context& context)
{
    const auto options = engine::ProcessOptions::fromEnvironment();
    if (!options.has_value())
        return options.error();
    context.quiet = context.quiet || options->rank > 0;
    const char* local = std::getenv("LOCAL_RANK");
    if (options->size > 1 && local
        && (context.settings.device == "cuda" || (context.settings.device == "auto" && lm::cudaAvailable())))
        context.settings.device = std::string("cuda:") + local;
    return engine::Processes::join(*options);
}

Result<std::vector<int>> evaluateShared(engine::Processes& processes, OpenModel& open,
                                        const engine::Benchmark& benchmark, const std::vector<InterventionSet>& sets,
                                        const TakeRows& take, const Control& control)
{
    SharedSets work(open, benchmark, sets, processes.size());
    const engine::Cut& cut = work.cut();
    const auto run = [&, ran = 0](int chunk) mutable {
        auto part = work.run(chunk, control.stop);
        control.progress("running chunks", ++ran, cut.chunks());
        return part;
    };
    const auto shared = processes.share({cut.chunks(), cut.together, work.what()}, run, control.stop);
    if (!shared.has_value())
        return shared.error();
    if (!processes.first())
        return std::vector<int>();
    if (const auto all = work.read(shared->results, take, control.stop); !all.has_value())
        return all.error();
    return shared->chunksOf;
}

} // namespace headscope::cli
