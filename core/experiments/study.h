// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Several experiments as one document. Pure functions; any thread.

#include "core/experiments/experimentreport.h"

#include <span>
#include <string>

namespace headscope::experiments {

/// Returns a table of all verdicts, then a page for each report: question, claim, verdict, rows with intervals and
/// corrected p-values beside the paper's numbers, finding, models with the hashes of their weights, settings, notes,
/// rule. The same reports give the same bytes: times and durations are not included. Tables are in GitHub's
/// Markdown.
/// `pictures`: path of each report's picture, as used in Markdown; empty for one without. None: no pictures.
[[nodiscard]] std::string studyMarkdown(std::span<const Report> reports, std::span<const std::string> pictures = {});

} // namespace headscope::experiments
