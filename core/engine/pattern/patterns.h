// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The matrices of chosen heads on one prompt, as host floats. Worker thread; results may go anywhere.

#include "core/base/matrix.h"
#include "core/base/progress.h"
#include "core/lm/model.h"

#include <optional>
#include <vector>

namespace headscope::engine {

struct PatternOptions {
    interventions::InterventionSet ablation;
    lm::MatrixConvention convention;
    std::optional<int> row; ///< only this query position: matrices have one row
};

struct HeadPattern {
    interventions::HeadRef head; ///< with its site in layers that have two
    Matrix matrix;               ///< [T, T] or [1, T], rows are queries
};

/// Computes the matrices of heads; head -1 means all heads of that layer and site. Fails for a missing head, ids
/// outside the vocabulary, an empty prompt or one longer than the model allows.
[[nodiscard]] Result<std::vector<HeadPattern>> patterns(const lm::Model& model, const std::vector<int>& ids,
                                                        const std::vector<interventions::HeadRef>& heads,
                                                        const PatternOptions& options, const lm::DonorLoader& donors,
                                                        const Control& control);

/// Fails with one sentence for a prompt that the model cannot run, or that lacks a token that the set refers to; shared
/// by everything that runs a prompt.
[[nodiscard]] Result<void> checkPrompt(const lm::Model& model, const std::vector<int>& ids,
                                       const interventions::InterventionSet& set = {});

/// One of the most likely next tokens after a prompt under an ablation.
struct NextToken {
    int id = 0;
    double probability = 0;
};
/// Returns the `count` most likely tokens, best first. logits: [V].
[[nodiscard]] std::vector<NextToken> likeliest(const at::Tensor& logits, int count);
[[nodiscard]] Result<std::vector<NextToken>> nextTokens(const lm::Model& model, const std::vector<int>& ids,
                                                        const interventions::InterventionSet& ablation,
                                                        const lm::DonorLoader& donors, int count);

} // namespace headscope::engine
