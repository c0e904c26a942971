// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Task names to examples: the one door through which the engine, the command line and the window get benchmarks.
// Reads files; call it off the GUI thread.

#include "core/base/result.h"
#include "core/tasks/task.h"
#include "core/text/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace headscope::tasks {

struct TaskOptions {
    std::filesystem::path dataFolder;    ///< empty: the sample rows that ship with Headscope
    std::filesystem::path samplesFolder; ///< where those lie; empty: samplesFolder() finds them
    std::filesystem::path wordsFolder;   ///< wonderwords' nounlist.txt etc.; empty: <dataFolder>/words,
                                         ///< <cache>/headscope/wonderwords, else our own list
    std::optional<int> fewshot;          ///< replaces a task's default, except where that is fixed at 0
    std::optional<double> limit;         ///< the first N rows of each leaf task; below 1 a fraction, rounded up
    std::uint64_t seed = 1234;           ///< generated tasks only; few-shot draws always use the harness's 1234
};

/// Makes the examples of a task: "mmlu", "mmlu_anatomy", "kv_retrieval:pairs=16", the path of an own task's file, or
/// that of a table (CSV, JSON lines). A name may carry settings after a colon: name:key=value,key=value. Fails, in one
/// sentence, for an unknown name or setting, for files that are not there (naming them, their source and licence), and
/// when no row is usable. Rejected rows are not a failure: they are in the report.
[[nodiscard]] Result<TaskSet> makeTask(std::string_view name, const TaskOptions& options);

/// The same as a model with this tokenizer reads it (fitTo, core/tasks/ownmodels.h).
[[nodiscard]] Result<TaskSet> makeTask(std::string_view name, const TaskOptions& options,
                                       const text::Tokenizer& tokenizer);

/// Whether makeTask reads this name as the path of an own task's file.
[[nodiscard]] bool isTaskFile(std::string_view name);

/// Every task name that makeTask knows, groups before their parts.
[[nodiscard]] std::vector<TaskInfo> listTasks();

/// The folder `samples` of the program's resources (core/io/resources.h). Fails when it is not there.
[[nodiscard]] Result<std::filesystem::path> samplesFolder();

} // namespace headscope::tasks
