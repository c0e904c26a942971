// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A pattern as files: pictures where the program was built with Qt, numbers as CSV, safetensors, .npy and .npz always.
// Main thread.

#include "app/figures/patternfigure.h"
#include "core/base/result.h"

#include <string>
#include <vector>

namespace headscope::cli {

/// Fails for a suffix that cannot be written, saying which can; call it before the work.
[[nodiscard]] Result<void> checkPatternPath(const std::string& path);

/// CSV: a line a query, see io::matrixCsv(). Safetensors: the matrix under the head's name, and input_ids.
[[nodiscard]] Result<void> writePatternFiles(const std::vector<figures::PatternPicture>& patterns);

} // namespace headscope::cli
