// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hub/blobs.h"

namespace headscope::hub {

namespace fs = std::filesystem;

fs::path folderOf(const RepositoryName& name, const HubSettings& settings)
{
    std::string folder = (name.kind == RepositoryKind::DataSet ? "datasets--" : "models--") + name.name;
    if (const auto slash = folder.find('/'); slash != std::string::npos)
        folder.replace(slash, 1, "--");
    return settings.cache / folder;
}

fs::path incomplete(const fs::path& blob)
{
    return blob.string() + ".incomplete";
}

std::uint64_t sizeOf(const fs::path& path)
{
    std::error_code error;
    const auto size = fs::file_size(path, error);
    return error ? 0 : size;
}

bool isComplete(const fs::path& blob, const RemoteFile& file)
{
    std::error_code ignored;
    return fs::exists(blob, ignored) && sizeOf(blob) == file.size;
}

} // namespace headscope::hub
