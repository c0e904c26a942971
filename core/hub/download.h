// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Downloads a model or a data set from a hub into the cache shared with huggingface_hub: blobs named by their hashes,
// snapshots of links to them, refs. Any thread; blocks while bytes arrive.

#include "core/hub/repository.h"

#include <filesystem>

namespace headscope::hub {

/// A planned download; nothing is written yet.
struct Plan {
    RepositoryName name;
    Repository repository;
    std::vector<RemoteFile> files;
    std::uint64_t total = 0;   ///< bytes of all files
    std::uint64_t missing = 0; ///< bytes of these that are not in the cache
    std::uint64_t free = 0;    ///< free bytes on the disk of the cache
    std::filesystem::path snapshot = {};
};

/// Queries the hub and checks the cache. `weights`: see neededFiles().
[[nodiscard]] Result<Plan> plan(const RepositoryName& name, const std::string& weights, const HubSettings& settings,
                                const Control& control);

/// Plans a download of given files of a repository; fails if one does not exist.
[[nodiscard]] Result<Plan> planOf(const RepositoryName& name, const std::vector<std::string>& paths,
                                  const HubSettings& settings, const Control& control);

/// Downloads missing parts, each file verified by size and hash before it gets its name. Received data stay when it is
/// stopped or fails, for resuming later. Returns the folder of the snapshot.
[[nodiscard]] Result<std::filesystem::path> download(const Plan& plan, const HubSettings& settings,
                                                     const Control& control);

/// Returns a small text file of a repository, such as config.json, without using the cache.
[[nodiscard]] Result<std::string> readRemoteText(const Plan& plan, const std::string& path, const HubSettings& settings,
                                                 const Control& control);

} // namespace headscope::hub
