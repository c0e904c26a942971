// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Several experiments as one document. Pure functions; any thread.

#include "core/experiments/experimentreport.h"

#include <span>
#include <string>

namespace headscope::experiments {

/// A table of all verdicts, then a page for each report: question, claim, verdict, rows with intervals and corrected p
/// values beside the paper's own numbers, finding, models with the hashes of their weights, settings, notes, rule. The
/// same reports give the same bytes: nothing in it says when or how fast they were made. Tables are as in GitHub's
/// Markdown.
/// `pictures`: where the picture of each report lies, as Markdown calls it; empty for one without. None: no pictures.
[[nodiscard]] std::string studyMarkdown(std::span<const Report> reports, std::span<const std::string> pictures = {});

} // namespace headscope::experiments
