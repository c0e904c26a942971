// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/patchrun.h"

#include <algorithm>

namespace headscope::engine {

Result<std::size_t> PatchRun::begin(const why::Recording& into, const why::Recording&)
{
    auto cells = cellsOf(model(), base(), m_asked, static_cast<int>(into.length()));
    if (!cells.has_value())
        return cells.error();
    m_cells = std::move(*cells);
    return m_cells.size();
}

Result<std::vector<double>> PatchRun::measure(const why::Recording& into, const why::Recording& from,
                                              const why::Metric& metric, std::size_t first, const Control& control)
{
    const std::size_t count = std::min(m_atOnce, m_cells.size() - first);
    return cellDifferences(model(), base(), into, from, metric, m_asked.what, std::span(m_cells).subspan(first, count),
                           control);
}

} // namespace headscope::engine
