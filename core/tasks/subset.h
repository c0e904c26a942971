// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Makes a task from some of a task's examples. Values; any thread.

#include "core/tasks/task.h"

#include <span>

namespace headscope::tasks {

/// Returns the examples at ascending `indices`. Leaves and groups are unchanged; a leaf may have no examples left.
[[nodiscard]] TaskSet subset(const TaskSet& set, std::span<const std::size_t> indices);

} // namespace headscope::tasks
