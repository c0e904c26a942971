// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Several files of a repository at a time, over as many connections. Any thread; blocks while bytes arrive.

#include "core/hub/repository.h"

#include <vector>

namespace headscope::hub {

inline constexpr int kConnections = 4; // at a time

/// Fetches what is missing of `files` into their blobs. Progress is called by the one file's path or, of several, by
/// the repository's name: bytes of all that are here, of all. The first failure stops the others; what arrived stays.
/// `control` is never called by two threads at once.
[[nodiscard]] Result<void> fetchAll(const RepositoryName& name, const std::string& commit,
                                    const std::vector<RemoteFile>& files, const HubSettings& settings,
                                    const Control& control);

} // namespace headscope::hub
