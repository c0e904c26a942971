// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/patchrun.h"

#include <algorithm>

namespace headscope::engine {

PatchRun::PatchRun(const lm::Model& model, const lm::Edits& base, std::vector<PromptPair> pairs,
                   const PatchAsked& asked, std::size_t atOnce)
    : m_model(model), m_base(base), m_pairs(std::move(pairs)), m_asked(asked), m_atOnce(atOnce)
{
    m_map.over.direction = asked.direction;
}

Result<void> PatchRun::begin(const Control& control)
{
    auto runs = recordPair(m_model, m_base, m_pairs[pairsDone()], {control.stop, {}});
    if (!runs.has_value())
        return runs.error();
    auto cells = cellsOf(m_model, m_base, m_asked, static_cast<int>(runs->clean.length()));
    if (!cells.has_value())
        return cells.error();
    m_map.cells = std::move(*cells);
    m_runs = std::move(*runs);
    m_values.clear();
    return {};
}

Result<void> PatchRun::patchSome(const Control& control)
{
    const bool denoise = m_asked.direction == PatchDirection::Denoise;
    const std::size_t count = std::min(m_atOnce, m_map.cells.size() - m_values.size());
    const auto values = cellDifferences(m_model, m_base, denoise ? m_runs->corrupt : m_runs->clean,
                                        denoise ? m_runs->clean : m_runs->corrupt, m_runs->metric, m_asked.what,
                                        std::span(m_map.cells).subspan(m_values.size(), count), {control.stop, {}});
    if (!values.has_value())
        return values.error();
    m_values.insert(m_values.end(), values->begin(), values->end());
    return {};
}

Result<bool> PatchRun::step(const Control& control)
{
    if (pairsDone() == m_pairs.size())
        return false;
    const auto went = m_runs ? patchSome(control) : begin(control);
    if (!went.has_value())
        return went.error();
    const auto perPair = static_cast<std::int64_t>(m_map.cells.size());
    control.progress("patching", static_cast<std::int64_t>(pairsDone()) * perPair + std::ssize(m_values),
                     std::ssize(m_pairs) * perPair);
    if (m_values.size() < m_map.cells.size())
        return true;
    if (const auto taken = append(m_map.over, m_pairs[pairsDone()], *m_runs, m_values); !taken.has_value())
        return taken.error();
    m_runs.reset();
    if (pairsDone() < m_pairs.size())
        return true;
    const auto differ = checkDifference(m_map.over);
    return differ.has_value() ? Result<bool>(false) : Result<bool>(differ.error());
}

} // namespace headscope::engine
