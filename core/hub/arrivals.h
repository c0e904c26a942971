// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Downloads several files of a repository over as many connections. Any thread; blocks while bytes arrive.

#include "core/hub/repository.h"

#include <vector>

namespace headscope::hub {

inline constexpr int kConnections = 4; // at a time

/// Downloads missing parts of `files` into their blobs. Progress is reported under the single file's path or, for
/// several, the repository's name: bytes of all that are present, out of all. The first failure stops the others;
/// received data stay. `control` is never called by two threads at once.
[[nodiscard]] Result<void> fetchAll(const RepositoryName& name, const std::string& commit,
                                    const std::vector<RemoteFile>& files, const HubSettings& settings,
                                    const Control& control);

} // namespace headscope::hub
