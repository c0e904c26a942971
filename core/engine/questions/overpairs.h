// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One measurement on many pairs of prompts. Worker thread.

#include "core/analysis/mean.h"
#include "core/base/pieces.h"
#include "core/engine/questions/pairs.h"

#include <functional>

namespace headscope::engine {

/// Both runs of a pair and what is asked of them.
struct PairRuns {
    why::Recording clean, corrupt;
    why::Metric metric;
};

/// Fails for prompts of different length and for an answer that is its own distractor.
[[nodiscard]] Result<PairRuns> recordPair(const lm::Model& model, const lm::Edits& base, const PromptPair& pair,
                                          const Control& control);

enum class PatchDirection {
    Denoise, ///< the clean run's activations in the corrupt one
    Noise    ///< the other way round
};

/// Numbers of some cells on every pair.
struct OverPairs {
    PatchDirection direction = PatchDirection::Denoise;
    std::vector<why::Metric> metrics;        ///< one a pair
    std::vector<double> clean, corrupt;      ///< the metric of each pair's runs
    std::vector<std::vector<double>> values; ///< by cell, then pair
    std::size_t asked = 0;                   ///< pairs that were to be measured by measurePairs()

    /// The metric that a patch starts from and the one that it goes to.
    [[nodiscard]] const std::vector<double>& into() const
    {
        return direction == PatchDirection::Denoise ? corrupt : clean;
    }
    [[nodiscard]] const std::vector<double>& from() const
    {
        return direction == PatchDirection::Denoise ? clean : corrupt;
    }
    /// Mean change of the metric in a cell.
    [[nodiscard]] analysis::Mean effect(std::size_t cell) const;
    /// The mean change in shares of the mean difference of the two runs.
    [[nodiscard]] analysis::Mean normalised(std::size_t cell) const;
};

/// What was measured on a pair.
struct MeasuredPair {
    why::Metric metric;
    double clean = 0, corrupt = 0; ///< the metric of its runs
    std::vector<double> values;    ///< by cell
};
/// Takes it in. Fails for another number of cells than before.
[[nodiscard]] Result<void> append(OverPairs& over, const PromptPair& pair, const MeasuredPair& measured);
/// Fails where the two runs have the same metric, so that nothing follows from a patch.
[[nodiscard]] Result<void> checkDifference(const OverPairs& over);

/// The metric in each cell of one pair, patched in the direction: into, from.
using MeasurePair = std::function<Result<std::vector<double>>(const why::Recording& into, const why::Recording& from,
                                                              const why::Metric& metric, const Control& control)>;

/// Each pair is a piece. What it refers to outlives it; `pairs` too.
[[nodiscard]] PiecedWork pairPieces(const lm::Model& model, const lm::Edits& base, const std::vector<PromptPair>& pairs,
                                    PatchDirection direction, MeasurePair measure);

/// Stopped behind the first of several pairs, it gives the means of those so far: asked is the larger number then.
/// Fails for pairs that give different numbers of cells, and where the two runs have the same metric, so that nothing
/// follows from a patch.
[[nodiscard]] Result<OverPairs> measurePairs(const lm::Model& model, const lm::Edits& base,
                                             const std::vector<PromptPair>& pairs, PatchDirection direction,
                                             const MeasurePair& measure, const Control& control,
                                             const MeasurePieces& pieces = measureHere);

} // namespace headscope::engine
