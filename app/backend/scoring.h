// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The scoreboard's numbers: streamed while rows finish, exact at the end. Worker thread.

#include "app/backend/state.h"

namespace headscope::app {

/// Both states on every task, one after another; `stream` gets an estimate every 40 ms.
[[nodiscard]] Result<ScoreReply> scoreTasks(Backend::State& state, const ModelState& now, const ModelState& reference,
                                            const std::vector<std::string>& tasks,
                                            const Backend::Reply<ScoreReply>& stream, const Control& control);

/// The rows of a task that are right in one of the two states and wrong in the other.
[[nodiscard]] Result<std::vector<FlipRow>> flippedRows(Backend::State& state, const ModelState& now,
                                                       const ModelState& reference, const std::string& task,
                                                       const Control& control);

} // namespace headscope::app
