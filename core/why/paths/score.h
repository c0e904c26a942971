// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Why a head attends to a key: its score before the softmax is the product of a query and a key, and both are sums of
// what was written into the stream at their positions. So it is a sum over the writers of either, and over pairs. Norms
// are held at the scale that they have in the run. For a head that scans, the score is the entry of its matrix without
// D: C of the query times B of the key, with decay and step size as in the run. C and B go through a convolution and an
// activation, so there writers count to first order, and what that leaves over is a part of its own. Worker thread.

#include "core/why/paths/direct.h"

namespace headscope::why {

struct AttentionScoreRequest {
    Where where; ///< a layer and one of its mixers
    int head = 0;
    int query = 0, key = 0; ///< positions
    bool centred = true;    ///< less the mean over the keys that the query sees: scores count within a row
};

struct ScoreAttribution {
    double score = 0;              ///< before a cap and the softmax; centred where that was asked
    double mean = 0;               ///< over the keys that the query sees
    double position = 0;           ///< what ALiBi adds to it
    double share = 0;              ///< of the row: by softmax, or of the sum of magnitudes for a head that scans
    bool linearised = false;       ///< for a head that scans: to first order, with parts of the kind Residue
    bool normed = false;           ///< queries or keys pass a norm of their own, held like the others
    bool capped = false;           ///< the model caps scores
    std::vector<DirectPart> query; ///< with the key held whole, they and `position` add up to the score
    std::vector<DirectPart> key;   ///< with the query held whole, too
    struct Pair {
        std::size_t query = 0, key = 0; ///< indices of parts
        double value = 0;
    };
    std::vector<Pair> pairs; ///< the largest, by magnitude

    /// What the query's side and the position leave of the score: rounding.
    [[nodiscard]] double rounding() const;
};

/// Fails for heads whose matrix is not made of products of a query and a key, and for a key that the query does not
/// see.
[[nodiscard]] Result<ScoreAttribution> scoreAttribution(const lm::Model& model, const lm::Edits& base,
                                                        const Recording& run, const AttentionScoreRequest& asked,
                                                        const Control& control = {});

} // namespace headscope::why
