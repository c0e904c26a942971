// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Direct attribution for one or many prompts. Worker thread.

#include "core/analysis/statistics.h"
#include "core/engine/questions/question.h"
#include "core/why/paths/direct.h"

namespace headscope::engine {

/// A head's attribution by the tokens that it reads.
struct SourceSplit {
    std::vector<double> values; ///< [T]
    std::string why;            ///< why it cannot be split; empty: it is split
};

struct MeanAttribution {
    int asked = 0, prompts = 0; ///< prompts requested, and prompts in the means
    why::Metric metric;         ///< metric of the first prompt
    analysis::Mean difference;
    bool capped = false;
    std::vector<why::DirectPart> parts; ///< the parts; value: the mean
    std::vector<analysis::Mean> means;  ///< mean of each part
    std::vector<why::Where> silent;
    std::vector<SourceSplit> sources; ///< by part, if requested; empty for parts that are not heads

    [[nodiscard]] double sum() const;
};

/// `sources`: for one prompt only. If stopped after the first of several prompts, returns the means so far.
[[nodiscard]] Result<MeanAttribution> attribute(const lm::Model& model, const lm::Edits& base,
                                                const std::vector<Question>& questions, bool sources,
                                                const Control& control);

} // namespace headscope::engine
