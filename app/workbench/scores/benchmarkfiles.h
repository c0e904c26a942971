// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The real files of a benchmark from a hub into the data folder: what they are and whose, known before; checked by
// their hash and their rows before they get their place. Blocks while bytes arrive; any thread but the GUI's.

#include "core/hub/download.h"
#include "core/tasks/hubfiles.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::app {

struct RemoteBenchmark {
    tasks::HubFiles files;
    std::string title, licence;
    std::string page; ///< of the data set, where its authors and terms are named
    hub::Plan plan;   ///< files in the order of `files`
};

/// Asks the hub about the benchmarks that these tasks read; nothing is written.
[[nodiscard]] Result<std::vector<RemoteBenchmark>>
lookAtBenchmarks(const std::vector<std::string>& tasks, const hub::HubSettings& settings, const Control& control);

/// Fetches into the hub's cache, as a model, and from there into the data folder. A file with other rows than the
/// benchmark's is refused, and nothing of that benchmark is put there. Gives the files, relative to the folder.
[[nodiscard]] Result<std::vector<std::string>> fetchBenchmark(const RemoteBenchmark& benchmark,
                                                              const std::filesystem::path& dataFolder,
                                                              const hub::HubSettings& settings, const Control& control);

/// Where benchmarks go when nobody says where: XDG_DATA_HOME, else ~/.local/share, then headscope/benchmarks. Empty
/// where neither is known.
[[nodiscard]] std::filesystem::path defaultDataFolder();

} // namespace headscope::app
