// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From task names to examples: the only interface through which the engine, the command line and the window get
// benchmarks. Reads files; call it off the GUI thread.

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
    std::filesystem::path dataFolder;    ///< empty: the sample rows included with Headscope
    std::filesystem::path samplesFolder; ///< folder of these rows; empty: samplesFolder() finds it
    std::filesystem::path wordsFolder;   ///< wonderwords' nounlist.txt etc.; empty: <dataFolder>/words,
                                         ///< <cache>/headscope/wonderwords, else Headscope's own list
    std::optional<int> fewshot;          ///< replaces a task's default, unless that is fixed at 0
    std::optional<double> limit;         ///< number of first rows of each leaf task; below 1 a fraction, rounded up
    std::uint64_t seed = 1234;           ///< generated tasks only; few-shot draws always use the harness's 1234
};

/// Makes the examples of a task: "mmlu", "mmlu_anatomy", "kv_retrieval:pairs=16", the path of a user's task file, or
/// that of a table (CSV, JSON lines). A name may have settings after a colon: name:key=value,key=value. Fails, in one
/// sentence, for an unknown name or setting, for missing files (with their names, source and licence), and if no row is
/// usable. Rejected rows are not a failure: they are in the report.
[[nodiscard]] Result<TaskSet> makeTask(std::string_view name, const TaskOptions& options);

/// Makes the same, prepared for a model with this tokenizer (fitTo, core/tasks/ownmodels.h).
[[nodiscard]] Result<TaskSet> makeTask(std::string_view name, const TaskOptions& options,
                                       const text::Tokenizer& tokenizer);

/// Returns whether makeTask treats this name as the path of a user's task file.
[[nodiscard]] bool isTaskFile(std::string_view name);
/// Returns whether a task is dictionary lookup: "toy_kv", "word_kv_plain:pairs=8", "kv_retrieval".
[[nodiscard]] bool isDictionaryTask(std::string_view name);

/// Returns every task name that makeTask knows, groups before their parts.
[[nodiscard]] std::vector<TaskInfo> listTasks();

/// Returns the folder `samples` of the program's resources (core/io/resources.h). Fails if it does not exist.
[[nodiscard]] Result<std::filesystem::path> samplesFolder();

} // namespace headscope::tasks
