// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores at the floor, whose fall carries no information: what guessing among the options gives, or 0 where a task
// offers none. Pure functions; any thread.

#include "core/experiments/words/table.h"

#include <string>

namespace headscope::experiments {

/// Whether the interval of a score reaches down to the floor.
[[nodiscard]] bool atFloor(const Cell& cell);
/// A share for sentences, with a note on that: "26.0 % (not above the floor)".
[[nodiscard]] std::string percent(const Cell& cell);

} // namespace headscope::experiments
