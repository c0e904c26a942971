// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a command told of an analysis, as the session keeps it: the records that the window keeps too. Main thread.

#include "app/cli/why/analysed.h"
#include "sessions/analysisrecords.h"

#include <nlohmann/json_fwd.hpp>

namespace headscope::cli {

/// Of "lens", "attribution", "patching", "edges", "knockout", "weights" or "probe".
[[nodiscard]] sessions::AnalysisRecord analysisRecord(const std::string& kind, const nlohmann::json& told,
                                                      const Analysed& analysed);
/// Puts it into the session, in place of the same question before; does nothing where no session was named.
[[nodiscard]] Result<void> keepAnalysis(const std::string& kind, const nlohmann::json& told, Analysed& analysed);

} // namespace headscope::cli
