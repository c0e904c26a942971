// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Some of a task's examples as a task of their own. Values; any thread.

#include "core/tasks/task.h"

#include <span>

namespace headscope::tasks {

/// `indices` ascend. Leaves and groups stay as they are; a leaf may be left without examples.
[[nodiscard]] TaskSet subset(const TaskSet& set, std::span<const std::size_t> indices);

} // namespace headscope::tasks
