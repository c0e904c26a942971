// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/evidence/floor.h"

#include "core/experiments/words/language.h"

namespace headscope::experiments {

bool atFloor(const Cell& cell)
{
    return cell.value && cell.interval && cell.interval->low <= cell.chance.value_or(0);
}

std::string percent(const Cell& cell)
{
    const std::string shown = percent(cell.value.value_or(0));
    return atFloor(cell) ? translated("{} (not above the floor)", shown) : shown;
}

} // namespace headscope::experiments
