// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/pairrun.h"

namespace headscope::engine {

PairRun::PairRun(const lm::Model& model, const lm::Edits& base, std::vector<PromptPair> pairs, PatchDirection direction,
                 const char* stage)
    : m_model(model), m_base(base), m_pairs(std::move(pairs)), m_stage(stage)
{
    m_over.direction = direction;
}

const why::Recording& PairRun::into() const
{
    return m_over.direction == PatchDirection::Denoise ? m_runs->corrupt : m_runs->clean;
}

const why::Recording& PairRun::from() const
{
    return m_over.direction == PatchDirection::Denoise ? m_runs->clean : m_runs->corrupt;
}

Result<void> PairRun::beginPair(const Control& control)
{
    auto runs = recordPair(m_model, m_base, m_pairs[pairsDone()], {control.stop, {}});
    if (!runs.has_value())
        return runs.error();
    m_runs = std::move(*runs);
    m_values.clear();
    const auto cells = begin(into(), from());
    if (!cells.has_value()) {
        m_runs.reset();
        return cells.error();
    }
    m_cells = *cells;
    return {};
}

Result<void> PairRun::measureSome(const Control& control)
{
    const auto values = measure(into(), from(), m_runs->metric, m_values.size(), {control.stop, {}});
    if (!values.has_value())
        return values.error();
    m_values.insert(m_values.end(), values->begin(), values->end());
    return {};
}

Result<bool> PairRun::step(const Control& control)
{
    if (pairsDone() == m_pairs.size())
        return false;
    const auto went = m_runs ? measureSome(control) : beginPair(control);
    if (!went.has_value())
        return went.error();
    const auto perPair = static_cast<std::int64_t>(m_cells);
    control.progress(m_stage, static_cast<std::int64_t>(pairsDone()) * perPair + std::ssize(m_values),
                     std::ssize(m_pairs) * perPair);
    if (m_values.size() < m_cells)
        return true;
    if (const auto taken = append(m_over, m_pairs[pairsDone()],
                                  {m_runs->metric, m_runs->clean.difference(m_runs->metric),
                                   m_runs->corrupt.difference(m_runs->metric), m_values});
        !taken.has_value())
        return taken.error();
    m_runs.reset();
    if (pairsDone() < m_pairs.size())
        return true;
    const auto differ = checkDifference(m_over);
    return differ.has_value() ? Result<bool>(false) : Result<bool>(differ.error());
}

} // namespace headscope::engine
