// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Why a head attends to a key: its score before the softmax is the product of a query and a key, and both are sums of
// contributions to the stream at their positions. So it is a sum over the writers of either, and over pairs. Norms are
// held at their scale in the run. For a scanning head the score is the entry of its matrix without D: C of the query
// times B of the key, with decay and step size as in the run. C and B pass a convolution and an activation, so there
// writers count to first order, and the remainder is a separate part. Worker thread.

#include "core/why/paths/direct.h"

namespace headscope::why {

struct AttentionScoreRequest {
    Where where; ///< a layer and one of its mixers
    int head = 0;
    int query = 0, key = 0; ///< positions
    bool centred = true;    ///< minus the mean over the keys visible to the query: scores matter only within a row
};

struct ScoreAttribution {
    double score = 0;              ///< before a cap and the softmax; centred if requested
    double mean = 0;               ///< over the keys visible to the query
    double position = 0;           ///< ALiBi's contribution
    double share = 0;              ///< attention weight in the run; scanning head: share of the row's sum of magnitudes
    bool linearised = false;       ///< for a scanning head: to first order, with parts of the kind Residue
    bool normed = false;           ///< queries or keys have their own norm, whose scale is also held fixed
    bool capped = false;           ///< the model caps scores
    std::vector<DirectPart> query; ///< with the whole key held fixed; these and `position` add up to the score
    std::vector<DirectPart> key;   ///< likewise with the whole query held fixed
    struct Pair {
        std::size_t query = 0, key = 0; ///< indices of parts
        double value = 0;
    };
    std::vector<Pair> pairs; ///< the largest, by magnitude

    /// Returns the score minus the query's parts and the position: rounding error.
    [[nodiscard]] double rounding() const;
};

/// Computes the attribution. Fails for heads that do not run or whose matrix is not made of products of a query and a
/// key, and for a key that is not visible to the query.
[[nodiscard]] Result<ScoreAttribution> scoreAttribution(const lm::Model& model, const lm::Edits& base,
                                                        const Recording& run, const AttentionScoreRequest& asked,
                                                        const Control& control = {});

} // namespace headscope::why
