// SPDX-License-Identifier: GPL-3.0-or-later
// The German of what experiments say: resources/phrases/experiments.de.json, which CMake puts into the program.
#pragma once

#include <string_view>

namespace headscope::experiments {

/// One JSON object: English and German.
std::string_view germanPhrases();

} // namespace headscope::experiments
