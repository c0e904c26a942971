// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which heads differ between two models of one shape, such as a model and its fine-tuned copy. Worker thread.

#include "core/analysis/statistics.h"
#include "core/engine/questions/question.h"
#include "core/lm/model.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope::engine {

/// Change of one head from model A to model B.
struct HeadChange {
    std::string head; ///< "L2H5"
    /// |B - A| / |A| in the Frobenius norm, of OV (what the head copies) and QK (what it attends to), with norm weights
    /// folded in as in core/why/headweights.h; nothing if the weights do not form such maps. 0: equal.
    std::optional<double> ov, qk;
    /// analysis::jensenShannonDistance() between rows of both patterns: the mean over rows after the first, over
    /// prompts.
    std::optional<analysis::Mean> pattern;
    /// How much more the head's removal costs in B: the drop of the answer's log-probability (nats) in B minus that in
    /// A, over the prompts that have an answer.
    std::optional<analysis::Mean> effect;
    double p = 1; ///< p-value of a zero effect by Student's paired t test, corrected over all heads (Holm)
};

struct HeadChanges {
    std::vector<HeadChange> heads;      ///< from the first layer to the last
    std::vector<std::string> undefined; ///< why weights were omitted, one sentence each
    int prompts = 0;                    ///< prompts used for the patterns
    int answered = 0;                   ///< number of these with an answer
};

/// Returns a checkpoint's training step: the number behind the last "step" of its name, else the one at its end:
/// "step-1000", "checkpoint-500", "org/name@stage1-step3000-tokens12B".
[[nodiscard]] std::optional<std::int64_t> trainingStep(std::string name);

/// Fails for models that differ in family, layers, width, vocabulary or heads.
[[nodiscard]] Result<void> checkShapes(const lm::ModelSpec& a, const lm::ModelSpec& b);

/// Compares two models. Fails for models of different shape, and for a prompt that one of them cannot run. Without
/// questions only the weights are compared. A stop discards everything.
[[nodiscard]] Result<HeadChanges> headChanges(const lm::Model& a, const lm::Model& b,
                                              std::span<const Question> questions, const Control& control = {});

} // namespace headscope::engine
