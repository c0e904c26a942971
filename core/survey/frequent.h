// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What each head adds by itself to the logits of the tokens that texts use most: direct attribution
// (core/why/paths/direct.h) at every position of many texts, for tokens that are known before any text is read. Worker
// thread.

#include "core/survey/survey.h"

#include <vector>

namespace headscope::survey {

struct FrequentTokens {
    std::vector<int> tokens;                 ///< the most frequent first
    std::vector<SurveyedHead> heads;         ///< those that write into the stream themselves
    std::vector<std::vector<double>> means;  ///< [head][token]: logits, against the mean over the vocabulary
    std::int64_t windows = 0, positions = 0; ///< that were read
};

struct FrequentOptions {
    int tokens = 5;
    int windows = 16;           ///< the first N
    std::vector<int> besides{}; ///< ids that are not words: start tokens and such
};

/// The final norm is held at the scale that it has at each position. Fails like why::record.
[[nodiscard]] Result<FrequentTokens> attributeToFrequent(const lm::Model& model, const lm::Edits& base, Windows windows,
                                                         const FrequentOptions& options, const Control& control = {});

} // namespace headscope::survey
