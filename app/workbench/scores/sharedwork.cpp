// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/scores/sharedwork.h"

#include "core/base/hash.h"
#include "core/base/words/counted.h"
#include "core/engine/replacements.h"

#include <algorithm>

namespace headscope::app {

using interventions::InterventionSet;

namespace {

/// Any number may join; the work is cut for this number.
constexpr int kProcessesExpected = 4;
/// Rows of states that are remembered from chunk to chunk, some hundred bytes each.
constexpr std::size_t kRowsRemembered = std::size_t{1} << 18;
} // namespace

SharedWork::SharedWork(OpenModel& open, sessions::SessionStore& session, const engine::Benchmark& benchmark,
                       std::vector<InterventionSet> sets, std::optional<WorkPart> part)
    : m_open(open), m_session(session), m_benchmark(benchmark), m_sets(std::move(sets)), m_part(part),
      m_cut(engine::cutWork(benchmark, {.pieces = static_cast<int>(m_sets.size()),
                                        .parameters = open.spec().parameters,
                                        .processes = part ? part->count : kProcessesExpected,
                                        .everyPart = part.has_value(),
                                        .alone = std::ranges::none_of(m_sets, engine::dependsOnAllExamples)})),
      m_portionOf(benchmark.hashes().size())
{
    for (std::size_t portion = 0; portion < m_cut.portions.size(); ++portion)
        for (std::size_t i = 0; i < m_portionOf.size(); ++i)
            if (m_cut.portions[portion].rows[i])
                m_portionOf[i] = portion;
}

std::string SharedWork::key() const
{
    Sha256 hash;
    hash.add(std::to_string(m_cut.each) + ' ' + std::to_string(m_part ? m_part->count : 0));
    for (const InterventionSet& set : m_sets) {
        const sessions::SeriesKey series = seriesOf(m_open.subject, m_benchmark, tasks::LeafTask(), set);
        for (const std::string& field : {series.modelHash, series.tokenizerHash, series.dtype, series.device,
                                         series.ablation, series.inputs, std::to_string(series.scoringVersion)})
            hash.add('\n' + field);
    }
    for (const tasks::LeafTask& leaf : m_benchmark.set().leaves)
        hash.add('\n' + leaf.name + '\n' + leaf.rowSource + '\n' + leaf.version);
    for (std::size_t i = 0; i < m_benchmark.hashes().size(); ++i)
        hash.add('\n' + m_benchmark.hashes()[i] + ' ' + std::to_string(m_portionOf[i]));
    return hash.hex();
}

std::string SharedWork::what() const
{
    return m_benchmark.set().name + ", " + std::to_string(m_benchmark.set().examples.size()) + " examples, "
           + counted(m_sets.size(), "state") + " of " + m_open.provenance();
}

// A part has as few portions as it can, since it runs the clean model on each of them; parts that share a portion take
// its chunks in turn.
bool SharedWork::isOfPart(int chunk) const
{
    const WorkPart part = m_part.value_or(WorkPart());
    const int together = m_cut.together(), groups = std::min(static_cast<int>(m_cut.portions.size()), part.count),
              group = chunk / together % groups, sharers = (part.count - 1 - group) / groups + 1;
    return group == part.number % groups && chunk % together % sharers == part.number / groups;
}

Result<std::vector<sessions::WorkChunk>> SharedWork::chunks() const
{
    std::vector<sessions::WorkChunk> all;
    for (int chunk = 0; chunk < m_cut.chunks(); ++chunk)
        all.push_back({chunk, chunk / m_cut.together(), true});
    for (int group = 0; group < m_cut.together(); ++group) {
        const auto [begin, end] = setsOf(group);
        for (std::size_t set = begin; set < end; ++set) {
            const auto known = Evaluation::known(m_session, m_open.subject, m_benchmark, m_sets[set]);
            if (!known.has_value())
                return known.error();
            for (std::size_t i = 0; i < known->size(); ++i)
                if (!(*known)[i])
                    all[m_portionOf[i] * static_cast<std::size_t>(m_cut.together()) + static_cast<std::size_t>(group)]
                        .done = false;
        }
    }
    std::erase_if(all, [this](const sessions::WorkChunk& chunk) { return !isOfPart(chunk.number); });
    return all;
}

std::pair<std::size_t, std::size_t> SharedWork::setsOf(int chunk) const
{
    const auto begin = static_cast<std::size_t>(chunk % m_cut.together()) * static_cast<std::size_t>(m_cut.each);
    return {begin, std::min(begin + static_cast<std::size_t>(m_cut.each), m_sets.size())};
}

Result<SharedWork::Begun*> SharedWork::beginSet(std::size_t set)
{
    auto found = m_begun.find(set);
    if (found == m_begun.end()) {
        if ((m_begun.size() + 1) * m_benchmark.hashes().size() > kRowsRemembered)
            m_begun.clear();
        engine::Rows rows = m_benchmark.emptyRows();
        auto evaluation = Evaluation::begin(&m_session, m_open.subject, m_benchmark, m_sets[set], rows, {});
        if (!evaluation.has_value())
            return evaluation.error();
        found = m_begun.emplace(set, Begun{std::move(rows), std::move(*evaluation)}).first;
    }
    return &found->second;
}

Result<void> SharedWork::runChunk(int chunk, sessions::ResultWriter& results, const std::stop_token& stop)
{
    if (const int portion = chunk / m_cut.together(); portion != m_portion) {
        if (m_sets.size() > 1)
            m_open.scorer->dropCache(); // what is kept is of another one
        m_portion = portion;
    }
    const auto [begin, end] = setsOf(chunk);
    for (std::size_t set = begin; set < end; ++set) {
        const auto begun = beginSet(set);
        if (!begun.has_value())
            return begun.error();
        if (const auto ran =
                (*begun)->evaluation.run(*m_open.scorer, m_open.donors, (*begun)->rows, {}, {stop, {}},
                                         m_cut.portions[static_cast<std::size_t>(m_portion)].rows, &results);
            !ran.has_value())
            return ran;
    }
    return {};
}

Result<void> SharedWork::run(const std::string& stage, const Control& control,
                             const std::function<void(const std::string&)>& notify)
{
    const auto offered = chunks();
    if (!offered.has_value())
        return offered.error();
    return shareChunks({m_open, m_session, m_part, notify},
                       {key() + (m_part ? ' ' + std::to_string(m_part->number) : std::string()), *offered,
                        [&](int chunk, sessions::ResultWriter& results) {
                            const auto ran = runChunk(chunk, results, control.stop);
                            return ran.has_value() ? Result<std::optional<std::string>>(std::optional<std::string>())
                                                   : Result<std::optional<std::string>>(ran.error());
                        }},
                       stage, control);
}

} // namespace headscope::app
