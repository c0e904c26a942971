// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Location of the program's own files: included models, recipes, samples. Any thread.

#include <filesystem>

namespace headscope::io {

/// Returns HEADSCOPE_RESOURCES if set; else `share/headscope` beside the installed program; else the source tree's
/// `resources` above the build folder. Empty if none of them exists.
[[nodiscard]] std::filesystem::path resourcesFolder();

} // namespace headscope::io
