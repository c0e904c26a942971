// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which heads differ between two models of one shape, such as a model and its fine-tuned copy. Worker thread.

#include "core/analysis/mean.h"
#include "core/engine/questions/question.h"
#include "core/lm/model.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope::engine {

/// From model A to model B.
struct HeadChange {
    std::string head; ///< "L2H5"
    /// |B - A| / |A| in the Frobenius norm, of OV (what the head copies) and QK (what it looks for), with norm weights
    /// folded in as in core/why/headweights.h; nothing where the weights cannot be read as such maps. 0: the same.
    std::optional<double> ov, qk;
    /// analysis::jensenShannonDistance() of the rows of both patterns: the mean over rows behind the first, over
    /// prompts.
    std::optional<analysis::Mean> pattern;
    /// How much more the removal of the head costs in B: the fall of the answer's log-probability (nats) in B minus
    /// that in A, over the prompts that have an answer.
    std::optional<analysis::Mean> effect;
    double p = 1; ///< of the effect being 0 by Student's paired t test, corrected over all heads (Holm)
};

struct HeadChanges {
    std::vector<HeadChange> heads;      ///< from the first layer to the last
    std::vector<std::string> undefined; ///< why weights were left out, a sentence each
    int prompts = 0;                    ///< of the patterns
    int answered = 0;                   ///< of those, with an answer
};

/// The training step of a checkpoint, which its name ends with: "step-1000", "checkpoint-500", "org/name@step3000".
[[nodiscard]] std::optional<std::int64_t> trainingStep(std::string name);

/// Fails for models that differ in family, layers, width, vocabulary or heads.
[[nodiscard]] Result<void> checkShapes(const lm::ModelSpec& a, const lm::ModelSpec& b);

/// Fails for models of another shape, and for a prompt that one of them cannot take. Without questions the weights
/// alone are compared. A stop keeps nothing.
[[nodiscard]] Result<HeadChanges> headChanges(const lm::Model& a, const lm::Model& b,
                                              std::span<const Question> questions, const Control& control = {});

} // namespace headscope::engine
