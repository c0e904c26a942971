// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page's JavaScript modules joined into the one script that a file without a server can hold: scripts inside a page
// cannot import each other. Any thread.

#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace headscope::page {

/// `main` and all that it imports from its folder, each before those that need it. A module becomes a function of its
/// own that returns what it exports, so names of two modules never meet. Imports and exports begin their lines, an
/// import is one line, and what is exported is a function or a constant (packaging/checkpage.py holds them to it).
[[nodiscard]] Result<std::string> joinedModules(const std::filesystem::path& main);

} // namespace headscope::page
