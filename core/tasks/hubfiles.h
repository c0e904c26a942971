// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where on the Hugging Face hub the files of a benchmark lie, and under which names the importers look for them.
// Values; any thread.

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace headscope::tasks {

struct HubFile {
    std::string path; ///< in the repository
    std::string to;   ///< in the data folder
    int rows = 0;     ///< that the benchmark has
};

/// The files of one benchmark, which may serve several tasks.
struct HubFiles {
    std::string task;    ///< the first of them
    std::string dataset; ///< "allenai/ai2_arc"
    std::vector<HubFile> files;

    /// The branch that the hub keeps of every data set in Parquet, whatever form its authors chose.
    static constexpr std::string_view kRevision = "refs/convert/parquet";
};

/// What `names` (tasks as --task names them, groups too) need, each once. Fails for a task that needs no files and for
/// one whose files the hub does not have.
[[nodiscard]] Result<std::vector<HubFiles>> hubFiles(const std::vector<std::string>& names);

} // namespace headscope::tasks
