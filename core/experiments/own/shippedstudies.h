// SPDX-License-Identifier: GPL-3.0-or-later
// The two of the paper's experiments that are written like a user's study: files of resources/studies, which CMake
// embeds in the program.
#pragma once

#include <string_view>

namespace headscope::experiments {

/// Returns heads-kept.json, unchanged.
std::string_view headsKeptFile();

/// Returns individual-pruning.json, unchanged.
std::string_view individualPruningFile();

} // namespace headscope::experiments
