// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The most probable tokens of a model, in the form used by analysis commands. Main thread.

#include "app/cli/why/analysisrun.h"
#include "core/why/lenses/lens.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace headscope::cli {

/// Returns [{token, id, p}], most probable first.
[[nodiscard]] nlohmann::json likelyTokens(const std::vector<why::LensCell::Token>& likely, const Analysed& analysed);

/// Returns "red 0.8100  blue 0.1000".
[[nodiscard]] std::string likelyText(const nlohmann::json& reply);

} // namespace headscope::cli
