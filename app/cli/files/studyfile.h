// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes the document of experiments. Main thread.

#include "core/experiments/experimentreport.h"

#include <span>
#include <string>

namespace headscope::cli {

/// Fails for a name that writeStudyFile does not accept.
[[nodiscard]] Result<void> checkStudyFile(const std::string& path);
/// Writes .md or .pdf with figures (app/figures/documents/studydocument.h); in a program built without Qt only .md
/// without figures. `session`: file with the maps of heads; empty: none.
[[nodiscard]] Result<void> writeStudyFile(std::span<const experiments::Report> reports, const std::string& session,
                                          const std::string& path);

} // namespace headscope::cli
