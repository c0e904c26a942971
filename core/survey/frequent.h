// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Direct contribution of each head to the logits of the most frequent tokens: direct attribution
// (core/why/paths/direct.h) at every position of many texts, for tokens that are fixed before any text is read. Worker
// thread.

#include "core/survey/survey.h"

#include <vector>

namespace headscope::survey {

struct FrequentTokens {
    std::vector<int> tokens;                 ///< the most frequent first
    std::vector<SurveyedHead> heads;         ///< heads that write into the stream themselves
    std::vector<std::vector<double>> means;  ///< [head][token]: logits, relative to the mean over the vocabulary
    std::int64_t windows = 0, positions = 0; ///< read so far
};

struct FrequentOptions {
    int tokens = 5;
    int windows = 16;           ///< number of first windows
    std::vector<int> besides{}; ///< ids that are not words, such as start tokens
};

/// Measures them, with the final norm's scale held fixed at each position. Fails like why::record.
[[nodiscard]] Result<FrequentTokens> attributeToFrequent(const lm::Model& model, const lm::Edits& base, Windows windows,
                                                         const FrequentOptions& options, const Control& control = {});

} // namespace headscope::survey
