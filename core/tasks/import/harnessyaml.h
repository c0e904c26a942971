// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A YAML config of the reference harness as the JSON task file that says the same: where its templates are fields and
// simple filters and its rows a file beside it. Code is refused, never guessed. Internal to core/tasks.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace headscope::tasks {

/// `where`: the file's name, for messages. Fails in one sentence that names the line.
[[nodiscard]] Result<nlohmann::json> taskOfYaml(std::string_view text, const std::string& where);

} // namespace headscope::tasks
