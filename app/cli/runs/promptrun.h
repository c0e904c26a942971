// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The prompt that patterns are drawn of: free text, or a sample of a task with its segments. Main thread.

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
    std::vector<std::string> tokens;    ///< what each writes of the text
    std::vector<std::string> spellings; ///< the same as the vocabulary spells them
    std::vector<figures::TokenRange> segments;
    std::string answer; ///< of a task's sample, where it has one; without blanks around it
};

/// Encodes by the BOS rule of `open`.
[[nodiscard]] Result<EncodedPrompt> promptOfText(const OpenModel& open, const std::string& text);
/// The context of an example as its task encodes it, without the blanks at its end.
[[nodiscard]] Result<EncodedPrompt> promptOfExample(const OpenModel& open, const tasks::TaskSet& set, int sample);

/// "L2H5", in Mamba-1 layers "L2C5".
[[nodiscard]] std::string headName(const lm::ModelSpec& spec, const interventions::HeadRef& head);
/// What the numbers of a head's matrix are.
[[nodiscard]] analysis::MatrixConvention conventionOf(lm::MixerKind kind, bool withD);

} // namespace headscope::cli
