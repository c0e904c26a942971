// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts a YAML config of the reference harness to the keys of a JSON task file, if its templates are fields and
// simple filters and its rows are a file beside it. Code is rejected, never guessed. Internal to core/tasks (it names
// the JSON library).

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace headscope::tasks {

/// The content of a task file.
struct TaskDocument {
    nlohmann::json keys;                ///< those of our JSON task files
    bool harness = false;               ///< a config of the harness: where its rules differ from ours, they apply
    bool oneMoreShot = false;           ///< the harness's few-shot split and evaluated split count as equal
    bool shotsAmongRows = false;        ///< the shots are rows of the evaluated split
    std::vector<std::string> mayName{}; ///< keys whose text is a column's name if the rows have such a column
};

/// Converts a config. `where`: the file's name, for messages. Fails with one sentence that gives the line.
[[nodiscard]] Result<TaskDocument> taskOfYaml(std::string_view text, const std::string& where);

} // namespace headscope::tasks
