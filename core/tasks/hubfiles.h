// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Locations of benchmark files on the Hugging Face hub, and the names under which importers look for them. Values; any
// thread.

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace headscope::tasks {

struct HubFile {
    std::string path; ///< path in the repository
    std::string to;   ///< path in the data folder
    int rows = 0;     ///< rows of the benchmark
};

/// The files of one benchmark, possibly of several tasks.
struct HubFiles {
    std::string task;    ///< the first of these tasks
    std::string dataset; ///< "allenai/ai2_arc"
    std::vector<HubFile> files;

    /// The branch in which the hub stores every data set as Parquet, whatever its authors' format.
    static constexpr std::string_view kRevision = "refs/convert/parquet";
};

/// Returns the files needed by `names` (tasks as in --task, also groups), each once. Fails for a task that needs no
/// files and for one whose files are not on the hub.
[[nodiscard]] Result<std::vector<HubFiles>> hubFiles(const std::vector<std::string>& names);

} // namespace headscope::tasks
