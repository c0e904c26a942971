// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/guessing.h"

#include "core/experiments/language.h"

namespace headscope::experiments {

bool atGuessing(const Cell& cell)
{
    return cell.value && cell.chance && cell.interval && cell.interval->low <= *cell.chance;
}

std::string percent(const Cell& cell)
{
    const std::string shown = percent(cell.value.value_or(0));
    return atGuessing(cell) ? said("{} (not above guessing)", shown) : shown;
}

} // namespace headscope::experiments
