// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a command told of an analysis, as the session keeps it: the records that the window keeps too. Main thread.

#include "app/cli/why/analysed.h"
#include "sessions/analysisrecords.h"

#include <nlohmann/json_fwd.hpp>

namespace headscope::cli {

/// Stores what was told of "lens", "attribution", "patching", "edges", "knockout", "weights" or "probe", in place of
/// the same question before (`question`: app/notebook/analysisquestion.h); does nothing where no session was named.
[[nodiscard]] Result<void> keepAnalysis(const std::string& kind, const std::string& question,
                                        const nlohmann::json& told, Analysed& analysed);

} // namespace headscope::cli
