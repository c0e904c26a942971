// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tasks written as one file, without C++: prompt template, choices, answer, shots, metric. JSON with keys as in the
// harness's configs, or such a config itself (.yaml, .yml); resources/samples/README.md documents both. Reads files.

#include "core/tasks/import/assembly.h"

#include <filesystem>

namespace headscope::tasks {

/// Adds the task in the file as one leaf. Fails, in one sentence, for an unknown or wrongly typed key, a broken
/// template or pattern, and when no row is usable; single bad rows are in the report.
[[nodiscard]] Result<void> addOwnTask(TaskSet& set, const std::filesystem::path& file, const TaskOptions& options);

/// Adds the task that a table's columns most likely mean, as the window proposes it, with a note that says how they
/// were read. Fails, naming the columns, where no row can be used that way.
[[nodiscard]] Result<void> addTable(TaskSet& set, const std::filesystem::path& file, const TaskOptions& options);

} // namespace headscope::tasks
