// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Direct logit attribution: the contribution of each part that writes into the stream to the difference of two logits,
// with the final norm's scale held fixed (Elhage et al. 2021; Wang et al. 2022, arXiv 2211.00593). All parts add up to
// the difference. Worker thread.

#include "core/why/recording.h"

namespace headscope::why {

struct DirectPart {
    enum class Kind { Embedding, Head, Mlp, Bias, Steering, Constant, Residue };
    Kind kind = Kind::Embedding;
    int layer = -1;
    Site site = Site::Any;
    int head = -1;
    double value = 0;
};

struct DirectAttribution {
    double difference = 0; ///< difference of the logits, before a final soft cap
    bool capped = false;   ///< the model caps its logits: the parts add up to the difference before the cap
    std::vector<DirectPart> parts;
    std::vector<Where> silent; ///< sites whose heads write nothing into the stream themselves
    [[nodiscard]] double sum() const;
};

/// Computes the attribution. Bias: what the mixers of a layer write independently of their heads. Constant: biases of
/// final norm and head. Residue: the remainder of a first-order expansion (core/why/paths/score.h).
[[nodiscard]] Result<DirectAttribution> directAttribution(const lm::Model& model, const lm::Edits& base,
                                                          const Recording& run, const Metric& metric,
                                                          const Control& control = {});

/// Returns a head's part by the tokens that it reads, [T]: M[T-1, s] gain * v_s along the difference; gate and norm of
/// SSMs are in the gain, held at their values in the run; what a head writes directly from its own token is counted for
/// that token. They add up to the head's part. Fails for an edited head.
[[nodiscard]] Result<std::vector<double>> sourceParts(const lm::Model& model, const lm::Edits& base,
                                                      const Recording& run, const Metric& metric, const Where& where,
                                                      int head);

} // namespace headscope::why
