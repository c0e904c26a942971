// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Context and continuation of one choice as token ids, before they become
// sequences. Internal to core/engine/scoring. Any thread.

#include "core/engine/scoring/pairs/encode.h"

#include <algorithm>
#include <vector>

namespace headscope::engine {

struct Pair {
    std::vector<int> context;
    std::vector<int> continuation;
    std::vector<int> whole; ///< ids of the whole text; empty if the continuation is tokenized
                            ///< separately
    std::size_t common = 0; ///< number of leading ids equal to the context's own
    bool merged = false;    ///< fewer than the context has

    void compare(const std::vector<int>& own)
    {
        const auto differ = std::mismatch(own.begin(), own.end(), whole.begin(), whole.end());
        common = static_cast<std::size_t>(differ.first - own.begin());
        merged = differ.first != own.end();
    }
    void splitAt(std::size_t first)
    {
        const auto split = whole.begin() + static_cast<std::ptrdiff_t>(std::min(first, whole.size()));
        context.assign(whole.begin(), split);
        continuation.assign(split, whole.end());
    }
};

/// Returns one pair per choice, by the task's own pairing; fails with the reason if the row cannot be
/// scored.
[[nodiscard]] Result<std::vector<Pair>> pairsOf(const tasks::Example& example, tasks::PairEncoding pairing,
                                                const text::Tokenizer& tokenizer, BosPolicy bos);
[[nodiscard]] EncodedExample encodePairs(const Result<std::vector<Pair>>& pairs, tasks::PairEncoding pairing,
                                         int maxLength);

/// Returns the maximum tokens of a prompt: the reference harness's number for models without a limit
/// (0).
[[nodiscard]] int longestText(int maxPositions);
/// Rejects an example with an id outside the model's vocabulary.
void refuseUnknownIds(EncodedExample& example, int vocabulary);

} // namespace headscope::engine
