// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model or a data set from a hub into the cache that huggingface_hub and we share: blobs named by their hashes,
// snapshots of links to them, refs. Any thread; blocks while bytes arrive.

#include "core/hub/repository.h"

#include <filesystem>

namespace headscope::hub {

/// What a download would do; nothing is written yet.
struct Plan {
    RepositoryName name;
    Repository repository;
    std::vector<RemoteFile> files;
    std::uint64_t total = 0;   ///< bytes of all files
    std::uint64_t missing = 0; ///< of those, bytes that are not in the cache
    std::uint64_t free = 0;    ///< bytes on the disk of the cache
    std::filesystem::path snapshot = {};
};

/// Asks the hub and looks into the cache. `weights`: see neededFiles().
[[nodiscard]] Result<Plan> plan(const RepositoryName& name, const std::string& weights, const HubSettings& settings,
                                const Control& control);

/// The same for files of a repository that a person or a table names; fails where one is not there.
[[nodiscard]] Result<Plan> planOf(const RepositoryName& name, const std::vector<std::string>& paths,
                                  const HubSettings& settings, const Control& control);

/// Fetches what is missing, each file checked by its size and hash before it gets its name. What arrived stays when it
/// is stopped or fails, and is resumed next time. Gives the folder of the snapshot.
[[nodiscard]] Result<std::filesystem::path> download(const Plan& plan, const HubSettings& settings,
                                                     const Control& control);

/// A small text file of a repository, such as config.json, without the cache.
[[nodiscard]] Result<std::string> readRemoteText(const Plan& plan, const std::string& path, const HubSettings& settings,
                                                 const Control& control);

} // namespace headscope::hub
