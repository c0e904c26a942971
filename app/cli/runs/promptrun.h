// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The prompt of patterns: free text, or a sample of a task with its segments. Main thread.

#include "app/cli/runs/scoringmodel.h"
#include "app/figures/patternfigure.h"
#include "core/analysis/convention.h"

#include <string>
#include <vector>

namespace headscope::cli {

struct EncodedPrompt {
    std::string text;
    std::string source; ///< "toy_kv:pairs=8, sample 3"; "text"
    std::vector<int> ids;
    std::vector<std::string> tokens;    ///< text that each token covers
    std::vector<std::string> spellings; ///< the same as spelled in the vocabulary
    std::vector<figures::TokenRange> segments;
    std::string answer; ///< of a task's sample, if it has one; without surrounding blanks
};

/// Encodes a text by the BOS rule of `open`.
[[nodiscard]] Result<EncodedPrompt> promptOfText(const OpenModel& open, const std::string& text);
/// Returns the context of an example as its task encodes it, without trailing blanks.
[[nodiscard]] Result<EncodedPrompt> promptOfExample(const OpenModel& open, const tasks::TaskSet& set, int sample);

/// Returns "L2H5", in Mamba-1 layers "L2C5".
[[nodiscard]] std::string headName(const lm::ModelSpec& spec, const interventions::HeadRef& head);
/// Returns the convention of the values of a head's matrix.
[[nodiscard]] analysis::MatrixConvention conventionOf(lm::MixerKind kind, bool withD);

} // namespace headscope::cli
