// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/resources.h"

#include <cstdlib>

namespace headscope::io {

std::filesystem::path resourcesFolder()
{
    std::error_code code;
    if (const char* given = std::getenv("HEADSCOPE_RESOURCES"); given && *given)
        return given;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", code).parent_path();
    if (const auto installed = program / ".." / "share" / "headscope";
        std::filesystem::is_directory(installed / "models", code))
        return installed.lexically_normal();
    for (auto folder = program; !folder.empty() && folder != folder.root_path(); folder = folder.parent_path())
        if (std::filesystem::is_directory(folder / "resources" / "models", code))
            return folder / "resources";
    return {};
}

} // namespace headscope::io
