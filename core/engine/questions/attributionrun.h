// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Direct attribution over one prompt or many. Worker thread.

#include "core/analysis/mean.h"
#include "core/engine/questions/question.h"
#include "core/why/paths/direct.h"

namespace headscope::engine {

/// A head's part by the tokens that it reads.
struct SourceSplit {
    std::vector<double> values; ///< [T]
    std::string why;            ///< why it cannot be split; empty: it is
};

struct MeanAttribution {
    int asked = 0, prompts = 0; ///< how many were to be; how many are in the means
    why::Metric metric;         ///< of the first prompt
    analysis::Mean difference;
    bool capped = false;
    std::vector<why::DirectPart> parts; ///< which they are; value: the mean
    std::vector<analysis::Mean> means;  ///< of each part
    std::vector<why::Where> silent;
    std::vector<SourceSplit> sources; ///< by part, where asked for; empty for parts that are not heads

    [[nodiscard]] double sum() const;
};

/// `sources`: of one prompt only. Stopped behind the first of several, it gives the means of those so far.
[[nodiscard]] Result<MeanAttribution> attribute(const lm::Model& model, const lm::Edits& base,
                                                const std::vector<Question>& questions, bool sources,
                                                const Control& control);

} // namespace headscope::engine
