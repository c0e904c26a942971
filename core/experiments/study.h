// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Several experiments as one document. Pure functions; any thread.

#include "core/experiments/report.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace headscope::experiments {

struct StudySettings {
    std::string version; ///< of the program
    std::uint64_t seed = 0;
    std::optional<double> limit; ///< as --limit; empty: each experiment's own number of examples
};

/// A table of all verdicts, then a page for each report: question, claim, verdict, rows with intervals and corrected p
/// values beside the paper's own numbers, finding, notes, rule. The same reports give the same bytes: nothing in it
/// tells when or how fast they were made. Tables are as in GitHub's Markdown.
[[nodiscard]] std::string studyMarkdown(std::span<const Report> reports, const StudySettings& settings);

} // namespace headscope::experiments
