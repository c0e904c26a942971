// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the program's own files are: shipped models, recipes, samples. Any thread.

#include <filesystem>

namespace headscope::io {

/// HEADSCOPE_RESOURCES if set; else `share/headscope` beside the installed program; else the source tree's `resources`
/// above the build folder. Empty when none of them exists.
[[nodiscard]] std::filesystem::path resourcesFolder();

} // namespace headscope::io
