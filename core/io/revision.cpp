// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/revision.h"

namespace headscope::io {

std::string revisionOf(const std::filesystem::path& folder)
{
    const std::filesystem::path path = folder.has_filename() ? folder : folder.parent_path();
    const std::filesystem::path snapshots = path.parent_path();
    const bool cached =
        snapshots.filename() == "snapshots" && snapshots.parent_path().filename().string().starts_with("models--");
    return cached ? path.filename().string() : std::string();
}

} // namespace headscope::io
