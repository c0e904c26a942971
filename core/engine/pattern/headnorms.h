// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How large what heads read and write is, beside where they look. Worker thread; results may go anywhere.

#include "core/engine/pattern/patterns.h"

namespace headscope::engine {

struct HeadNorm {
    interventions::HeadRef head; ///< its site named where the layer has two
    double norm = 0;
};

/// Euclidean norm of every head's output (its slice of the output projection's input, after gate and edits) at the last
/// position. One run of the prompt; layers that are skipped are left out.
[[nodiscard]] Result<std::vector<HeadNorm>> outputNorms(const lm::Model& model, const std::vector<int>& ids,
                                                        const PatternOptions& options, const lm::DonorLoader& donors,
                                                        const Control& control);

/// Euclidean norm of the vector that a head takes from each position: [T], what the columns of its matrix are applied
/// to.
[[nodiscard]] Result<std::vector<float>> valueNorms(const lm::Model& model, const std::vector<int>& ids,
                                                    const interventions::HeadRef& head, const PatternOptions& options,
                                                    const lm::DonorLoader& donors, const Control& control);

/// Whether nothing reads what the head writes: its part of the output projection is zero.
[[nodiscard]] bool isPruned(const lm::Model& model, const interventions::HeadRef& head);

} // namespace headscope::engine
