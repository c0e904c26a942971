// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the files of a repository lie in the cache, as huggingface_hub has it. Any thread.

#include "core/hub/repository.h"

#include <filesystem>

namespace headscope::hub {

/// "models--org--name" in the cache.
[[nodiscard]] std::filesystem::path folderOf(const RepositoryName& name, const HubSettings& settings);
/// What has arrived of a blob.
[[nodiscard]] std::filesystem::path incomplete(const std::filesystem::path& blob);
/// Bytes of a file; 0 where there is none.
[[nodiscard]] std::uint64_t sizeOf(const std::filesystem::path& path);
[[nodiscard]] bool isComplete(const std::filesystem::path& blob, const RemoteFile& file);

} // namespace headscope::hub
