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
    /// Jensen-Shannon distance of the rows of both patterns (Lin 1991, IEEE Trans. Information Theory 37:145; the root
    /// of the divergence to base 2), from 0 to 1: the mean over rows behind the first, over prompts. Signed rows of
    /// SSM heads are compared as the shares of their absolute values.
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

/// Jensen-Shannon distance of two rows, each as its shares; a row of zeros is like no other but itself.
[[nodiscard]] double jensenShannonDistance(std::span<const float> a, std::span<const float> b);

/// Fails for models that differ in family, layers, width, vocabulary or heads.
[[nodiscard]] Result<void> checkShapes(const lm::ModelSpec& a, const lm::ModelSpec& b);

/// Fails for models of another shape, and for a prompt that one of them cannot take. Without questions the weights
/// alone are compared. A stop keeps nothing.
[[nodiscard]] Result<HeadChanges> headChanges(const lm::Model& a, const lm::Model& b,
                                              std::span<const Question> questions, const Control& control = {});

} // namespace headscope::engine
