// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores of heads on probe sequences, and the labels that a threshold assigns. Worker thread.

#include "core/analysis/patternscores.h"
#include "core/why/recording.h"

#include <cstdint>
#include <string>

namespace headscope::why {

struct HeadProbe {
    int layer = 0;
    Site site = Site::Any;
    int head = 0;
    analysis::RepeatScores repeat; ///< means over the sequences
    double retrieval = 0;          ///< mean over the rows; NaN if none were given
};

struct RepeatedTokens {
    int sequences = 10;
    int repeat = 50; ///< R; fewer if the model's limit is below 1 + 2 R tokens
    std::uint64_t seed = 0;
    int start = 0;            ///< first token
    std::vector<int> drawn{}; ///< tokens to draw from: the vocabulary without special tokens
};

/// Prompt and answer together with the segment of the prompt that contains the answer (Wu et al. 2024, arXiv
/// 2404.15574).
struct RetrievalRow {
    std::vector<int> ids;
    int answerBegin = 0;
    std::vector<analysis::TokenSegment> segments;
};

/// Returns `start`, r, r for each sequence; r has no duplicate tokens if enough can be drawn.
[[nodiscard]] Result<std::vector<std::vector<int>>> repeatedSequences(const lm::Model& model,
                                                                      const RepeatedTokens& tokens);

/// Scores every head that runs. Sequences have equal length; without rows no head has a retrieval score. Fails where
/// lm::checkSameHeads() fails.
[[nodiscard]] Result<std::vector<HeadProbe>> probeHeads(const lm::Model& model, const lm::Edits& base,
                                                        const std::vector<std::vector<int>>& repeated,
                                                        const std::vector<RetrievalRow>& rows,
                                                        const Control& control = {});

/// Returns a score by its name: induction, previous, duplicate, sink, retrieval.
[[nodiscard]] double scoreOf(const HeadProbe& head, const std::string& method);
/// Returns the name of the highest score that reaches the threshold; empty: none does.
[[nodiscard]] std::string labelOf(const HeadProbe& head, const std::vector<std::string>& methods, double threshold);

} // namespace headscope::why
