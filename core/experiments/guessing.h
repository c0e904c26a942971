// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores that say nothing by falling, since guessing does as well. Pure functions; any thread.

#include "core/experiments/table.h"

#include <string>

namespace headscope::experiments {

/// Whether the interval of a score reaches down to guessing.
[[nodiscard]] bool atGuessing(const Cell& cell);
/// A share for sentences, with a word on that: "26.0 % (not above guessing)".
[[nodiscard]] std::string percent(const Cell& cell);

} // namespace headscope::experiments
