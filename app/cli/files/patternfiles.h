// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes patterns to files: pictures if the program is built with Qt; numbers as CSV, safetensors, .npy and .npz
// always. Main thread.

#include "app/figures/patternfigure.h"
#include "core/base/result.h"

#include <string>
#include <vector>

namespace headscope::cli {

/// Fails for an unsupported suffix, naming the supported ones; call it before the work.
[[nodiscard]] Result<void> checkPatternPath(const std::string& path);

/// Writes the files. CSV: a line per query, see io::matrixCsv(). Safetensors: the matrix by head name, and input_ids.
[[nodiscard]] Result<void> writePatternFiles(const std::vector<figures::PatternPicture>& patterns);

} // namespace headscope::cli
