// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Joins the page's JavaScript modules into one script for a file without a server: scripts inside a page cannot import
// each other. Any thread.

#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace headscope::page {

/// Returns `main` and all its imports from the same folder, dependencies first. Each module becomes a function that
/// returns its exports, so that names cannot collide. Imports and exports must begin their lines, an import must be one
/// line, and exports must be functions or constants (packaging/checkpage.py checks this).
[[nodiscard]] Result<std::string> joinedModules(const std::filesystem::path& main);

} // namespace headscope::page
