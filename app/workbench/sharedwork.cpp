// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/sharedwork.h"

#include "core/base/hash.h"
#include "core/engine/replacements.h"
#include "core/io/quote.h"

#include <algorithm>
#include <charconv>

namespace headscope::app {

using interventions::InterventionSet;

namespace {

constexpr int kMostParts = 1000000;
/// For so many processes work is cut that any number may join.
constexpr int kProcessesExpected = 4;
/// Rows of states that are remembered from chunk to chunk, some hundred bytes each.
constexpr std::size_t kRowsRemembered = std::size_t{1} << 18;

} // namespace

Result<WorkPart> parseWorkPart(const std::string& text)
{
    WorkPart part;
    const char* const end = text.data() + text.size();
    const auto number = std::from_chars(text.data(), end, part.number);
    const bool slash = number.ec == std::errc() && number.ptr != end && *number.ptr == '/';
    const auto count = slash ? std::from_chars(number.ptr + 1, end, part.count) : number;
    if (!slash || count.ec != std::errc() || count.ptr != end || part.count < 1 || part.count > kMostParts
        || part.number < 0 || part.number >= part.count)
        return inputError(
            "--part is " + io::inQuotes(text)
            + "; expected K/N, the number of the part from 0 to N-1 and the number of parts, such as 0/4.");
    return part;
}

SharedWork::SharedWork(OpenModel& open, sessions::SessionStore& session, const engine::Benchmark& benchmark,
                       std::vector<InterventionSet> sets, std::optional<WorkPart> part)
    : m_open(open), m_session(session), m_benchmark(benchmark), m_sets(std::move(sets)), m_part(part),
      m_cut(engine::cutWork(benchmark, {.pieces = static_cast<int>(m_sets.size()),
                                        .parameters = open.spec().parameters,
                                        .processes = part ? part->count : kProcessesExpected,
                                        .everyPart = part.has_value(),
                                        .alone = std::ranges::none_of(m_sets, engine::hangsOnTheOthers)}))
{
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
    for (std::size_t i = 0; i < m_benchmark.hashes().size(); ++i) {
        const auto portion = std::ranges::find_if(m_cut.portions, [i](const auto& one) { return one.rows[i]; });
        hash.add('\n' + m_benchmark.hashes()[i] + ' ' + std::to_string(portion - m_cut.portions.begin()));
    }
    return hash.hex();
}

std::string SharedWork::what() const
{
    return m_benchmark.set().name + ", " + std::to_string(m_benchmark.set().examples.size()) + " examples, "
           + std::to_string(m_sets.size()) + (m_sets.size() == 1 ? " state of " : " states of ") + m_open.name;
}

// A part has as few portions as it can, since it runs the clean model on each of them; of a portion that several parts
// have, every so many-th chunk.
std::vector<int> SharedWork::chunksOfPart() const
{
    const int together = m_cut.together(), portions = static_cast<int>(m_cut.portions.size());
    std::vector<int> chunks;
    for (int chunk = 0; chunk < m_cut.chunks(); ++chunk) {
        const WorkPart part = m_part.value_or(WorkPart());
        const int groups = std::min(portions, part.count), group = chunk / together % groups,
                  sharers = (part.count - 1 - group) / groups + 1;
        if (group == part.number % groups && chunk % together % sharers == part.number / groups)
            chunks.push_back(chunk);
    }
    return chunks;
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

Result<void> SharedWork::runChunk(int chunk, const std::stop_token& stop)
{
    if (const int portion = chunk / m_cut.together(); portion != m_portion) {
        m_open.scorer->dropCache(); // what is kept is of another one
        m_portion = portion;
    }
    const auto [begin, end] = setsOf(chunk);
    for (std::size_t set = begin; set < end; ++set) {
        const auto begun = beginSet(set);
        if (!begun.has_value())
            return begun.error();
        if (const auto ran = (*begun)->evaluation.run(*m_open.scorer, m_open.donors, (*begun)->rows, {}, {stop, {}},
                                                      m_cut.portions[static_cast<std::size_t>(m_portion)].rows);
            !ran.has_value())
            return ran;
    }
    return {};
}

Result<void> SharedWork::run(const std::string& stage, const Control& control)
{
    const std::vector<int> chunks = chunksOfPart();
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        if (const auto ran = runChunk(chunks[i], control.stop); !ran.has_value())
            return ran;
        control.progress(stage, static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(chunks.size()));
    }
    return {};
}

} // namespace headscope::app
