// SPDX-License-Identifier: GPL-3.0-or-later
// The two of the paper's experiments that are written as anybody writes your own study: files of
// resources/studies, which CMake puts into the program.
#pragma once

#include <string_view>

namespace headscope::experiments {

/// heads-kept.json, as it is.
std::string_view headsKeptFile();

/// individual-pruning.json, as it is.
std::string_view individualPruningFile();

} // namespace headscope::experiments
