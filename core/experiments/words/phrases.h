// SPDX-License-Identifier: GPL-3.0-or-later
// The German texts of experiments: resources/phrases/experiments.de.json, which CMake embeds in the program.
#pragma once

#include <string_view>

namespace headscope::experiments {

/// Returns one JSON object from English to German.
std::string_view germanPhrases();

} // namespace headscope::experiments
