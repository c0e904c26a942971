// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tasks defined in one file, without C++: prompt template, choices, answer, shots, metric. JSON with keys as in the
// harness's configs, or such a config itself (.yaml, .yml); resources/samples/README.md documents both. Reads files.

#include "core/tasks/import/assembly.h"

#include <filesystem>

namespace headscope::tasks {

/// Adds the file's task as one leaf. Fails, in one sentence, for an unknown or wrongly typed key, an invalid template
/// or pattern, and if no row is usable; single invalid rows are in the report.
[[nodiscard]] Result<void> addOwnTask(TaskSet& set, const std::filesystem::path& file, const TaskOptions& options);

/// Adds a task by the most likely meaning of a table's columns, as the window proposes it, with a note on that meaning.
/// Fails, naming the columns, if no row can be used.
[[nodiscard]] Result<void> addTable(TaskSet& set, const std::filesystem::path& file, const TaskOptions& options);

} // namespace headscope::tasks
