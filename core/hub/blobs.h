// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Locations of a repository's files in the cache, in huggingface_hub's layout. Any thread.

#include "core/hub/repository.h"

#include <filesystem>

namespace headscope::hub {

/// Returns "models--org--name" in the cache.
[[nodiscard]] std::filesystem::path folderOf(const RepositoryName& name, const HubSettings& settings);
/// Returns the path of a partially downloaded blob.
[[nodiscard]] std::filesystem::path incomplete(const std::filesystem::path& blob);
/// Returns the bytes of a file; 0 if it does not exist.
[[nodiscard]] std::uint64_t sizeOf(const std::filesystem::path& path);
[[nodiscard]] bool isComplete(const std::filesystem::path& blob, const RemoteFile& file);

} // namespace headscope::hub
