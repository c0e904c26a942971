// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The document of experiments as a file. Main thread.

#include "core/experiments/experimentreport.h"

#include <span>
#include <string>

namespace headscope::cli {

/// Fails for a name that writeStudyFile does not take.
[[nodiscard]] Result<void> checkStudyFile(const std::string& path);
/// As .md or .pdf with pictures (app/figures/documents/studydocument.h); in a program that was built without Qt as .md
/// without. `session`: file with the maps of heads; empty: there is none.
[[nodiscard]] Result<void> writeStudyFile(std::span<const experiments::Report> reports, const std::string& session,
                                          const std::string& path);

} // namespace headscope::cli
