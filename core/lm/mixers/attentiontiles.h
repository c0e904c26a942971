// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention some queries at a time: their patterns, what queries do not see, what edits take away. Worker thread.

#include "core/lm/mixers/mixer.h"

namespace headscope::lm {

/// What all tiles of one call share.
struct AttentionTiles {
    /// How scores are made, and what they become.
    struct Rule {
        double scale = 1.0, softCap = 0.0; ///< 0: no cap
        int window = 0;                    ///< 0: none
        bool softmaxInFp32 = false;
    };
    Rule rule;
    at::Tensor q;         ///< [B, H, R, P]
    at::Tensor k, v;      ///< [B, G, S, P]
    at::Tensor positions; ///< int64 [1 or B, R]: absolute positions of the queries
    at::Tensor last;      ///< int64 [B, 1]: absolute position of each sample's last token
    at::Tensor
        visible; ///< bool [B, R, S]: the keys of the same text up to the query; undefined: all keys up to the query are
    at::Tensor sinks; ///< [H]
    at::Tensor bias;  ///< fp32 [B or 1, H, 1, S]: is added to scores; undefined: nothing is

    /// How many queries a tile takes.
    [[nodiscard]] std::int64_t step() const;

    /// bool [B or 1, count, keys]: what the queries from `begin` on do not see of the first keys.
    [[nodiscard]] at::Tensor hidden(std::int64_t begin, std::int64_t count, std::int64_t keys) const;
    /// The patterns of the queries [begin, end) in the dtype of the run, [B, H, end - begin, keys]. `chosenRows`: the
    /// queries are not whole texts.
    [[nodiscard]] at::Tensor pattern(std::int64_t begin, std::int64_t end, const MixerCall& call,
                                     bool chosenRows = false) const;
    /// What they read, [B, H, end - begin, P]; the capture gets its part of the patterns.
    [[nodiscard]] at::Tensor outputs(std::int64_t begin, std::int64_t end, MixerCall& call, bool chosenRows) const;
    /// Rows of the patterns of the heads that the capture wants, of whole texts.
    [[nodiscard]] MatrixRows rows(const MixerCall& call) const;
};

} // namespace headscope::lm
