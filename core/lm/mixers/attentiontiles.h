// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention for tiles of queries: their patterns, causal and window masks, and edits of entries. Worker thread.

#include "core/lm/mixers/mixer.h"

namespace headscope::lm {

/// Data shared by all tiles of one call.
struct AttentionTiles {
    /// How scores are computed and normalized.
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
        visible; ///< bool [B, R, S]: visible keys of the same prompt up to the query; undefined: all up to the query
    at::Tensor sinks; ///< [H]
    at::Tensor bias;  ///< fp32 [B or 1, H, 1, S]: added to scores; undefined: none

    /// Returns the number of queries per tile.
    [[nodiscard]] std::int64_t step() const;

    /// Returns bool [B or 1, count, keys]: which of the first keys are hidden from the queries from `begin` on.
    [[nodiscard]] at::Tensor hidden(std::int64_t begin, std::int64_t count, std::int64_t keys) const;
    /// Returns the patterns of the queries [begin, end) in the run's dtype, [B, H, end - begin, keys]. `chosenRows`:
    /// the queries are not whole prompts.
    [[nodiscard]] at::Tensor pattern(std::int64_t begin, std::int64_t end, const MixerCall& call,
                                     bool chosenRows = false) const;
    /// Returns the outputs of the queries, [B, H, end - begin, P]; the capture receives its part of the patterns.
    [[nodiscard]] at::Tensor outputs(std::int64_t begin, std::int64_t end, MixerCall& call, bool chosenRows) const;
    /// Returns rows of the patterns of the heads that the capture requests, for whole prompts.
    [[nodiscard]] MatrixRows rows(const MixerCall& call) const;
};

} // namespace headscope::lm
