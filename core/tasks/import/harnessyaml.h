// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts a YAML config of the reference harness to an equivalent JSON task file, if its templates are fields and
// simple filters and its rows are a file beside it. Code is rejected, never guessed. Internal to core/tasks.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace headscope::tasks {

/// Converts a config. `where`: the file's name, for messages. Fails with one sentence that gives the line.
[[nodiscard]] Result<nlohmann::json> taskOfYaml(std::string_view text, const std::string& where);

} // namespace headscope::tasks
