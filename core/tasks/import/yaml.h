// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// YAML as used in benchmark configs, parsed by yaml-cpp; plain scalars get the types of PyYAML's safe loader. Tags
// (`!function`), anchors, aliases and merge keys are rejected. Internal to core/tasks.

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <string_view>

namespace headscope::tasks {

struct YamlDocument {
    nlohmann::json value;             ///< a mapping
    std::map<std::string, int> lines; ///< line numbers of the top-level keys, from 1
};

/// Parses YAML. Fails with "line 7: ..." for unsupported syntax, and for a document that is not a mapping.
[[nodiscard]] Result<YamlDocument> readYaml(std::string_view text);

} // namespace headscope::tasks
