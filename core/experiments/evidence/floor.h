// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores at the floor, whose fall carries no information: the score of guessing among the options, or 0 for a task
// without options. Pure functions; any thread.

#include "core/experiments/words/table.h"

#include <string>

namespace headscope::experiments {

/// Returns whether the interval of a score includes the floor.
[[nodiscard]] bool atFloor(const Cell& cell);
/// Returns a share for sentences, with a note if it is at the floor: "26.0 % (not above the floor)".
[[nodiscard]] std::string percent(const Cell& cell);

} // namespace headscope::experiments
