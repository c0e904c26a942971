// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Downloads the real files of a benchmark from a hub into the data folder. Their contents and authors are known before;
// hash and rows are checked before they are moved there. Blocks while bytes arrive; any thread but the GUI's.

#include "core/hub/download.h"
#include "core/tasks/hubfiles.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::app {

struct RemoteBenchmark {
    tasks::HubFiles files;
    std::string title, licence;
    std::string page; ///< of the data set, with its authors and terms
    hub::Plan plan;   ///< files in the order of `files`
};

/// Queries the hub about the benchmarks that these tasks read; writes nothing.
[[nodiscard]] Result<std::vector<RemoteBenchmark>>
findBenchmarks(const std::vector<std::string>& tasks, const hub::HubSettings& settings, const Control& control);

/// Downloads into the hub's cache, like a model, and copies into the data folder. A file with rows other than the
/// benchmark's is rejected, and no file of that benchmark is copied. Returns the files, relative to the folder.
[[nodiscard]] Result<std::vector<std::string>> fetchBenchmark(const RemoteBenchmark& benchmark,
                                                              const std::filesystem::path& dataFolder,
                                                              const hub::HubSettings& settings, const Control& control);

/// Returns the default folder for benchmarks: XDG_DATA_HOME, else ~/.local/share, then headscope/benchmarks. Empty if
/// neither is known.
[[nodiscard]] std::filesystem::path defaultDataFolder();

} // namespace headscope::app
