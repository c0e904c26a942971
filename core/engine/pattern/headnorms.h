// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Norms of head outputs and of the values that heads read. Worker thread; results may go anywhere.

#include "core/engine/pattern/patterns.h"

namespace headscope::engine {

struct HeadNorm {
    interventions::HeadRef head; ///< with its site in layers that have two
    double norm = 0;
};

/// Returns the Euclidean norm of every head's output (its slice of the output projection's input, after gate and edits)
/// at the last position. Runs the prompt once; omits skipped layers.
[[nodiscard]] Result<std::vector<HeadNorm>> outputNorms(const lm::Model& model, const std::vector<int>& ids,
                                                        const PatternOptions& options, const lm::DonorLoader& donors,
                                                        const Control& control);

/// Returns the Euclidean norm of a head's value vector at each position: [T], the vectors to which the columns of its
/// matrix apply.
[[nodiscard]] Result<std::vector<float>> valueNorms(const lm::Model& model, const std::vector<int>& ids,
                                                    const interventions::HeadRef& head, const PatternOptions& options,
                                                    const lm::DonorLoader& donors, const Control& control);

/// Returns whether the head's part of the output projection is zero, so that nothing reads its output.
[[nodiscard]] bool isPruned(const lm::Model& model, const interventions::HeadRef& head);

} // namespace headscope::engine
