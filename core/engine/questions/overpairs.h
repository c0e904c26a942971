// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A measurement repeated on many pairs of prompts. Worker thread.

#include "core/analysis/statistics.h"
#include "core/base/pieces.h"
#include "core/engine/questions/pairs.h"

#include <functional>

namespace headscope::engine {

/// Both runs of a pair and the metric of its question.
struct PairRuns {
    why::Recording clean, corrupt;
    why::Metric metric;
};

/// Records both runs. Fails for prompts of different length and for an answer that is its own distractor.
[[nodiscard]] Result<PairRuns> recordPair(const lm::Model& model, const lm::Edits& base, const PromptPair& pair,
                                          const Control& control);

enum class PatchDirection {
    Denoise, ///< clean activations into the corrupt run
    Noise    ///< the reverse
};

/// Values of some cells on every pair.
struct OverPairs {
    PatchDirection direction = PatchDirection::Denoise;
    std::vector<why::Metric> metrics;        ///< one per pair
    std::vector<double> clean, corrupt;      ///< the metric of each pair's runs
    std::vector<std::vector<double>> values; ///< by cell, then pair
    std::size_t asked = 0;                   ///< pairs passed to measurePairs()

    /// Returns the metric of the runs into which activations are patched.
    [[nodiscard]] const std::vector<double>& into() const
    {
        return direction == PatchDirection::Denoise ? corrupt : clean;
    }
    [[nodiscard]] const std::vector<double>& from() const
    {
        return direction == PatchDirection::Denoise ? clean : corrupt;
    }
    /// Returns the mean change of the metric in a cell.
    [[nodiscard]] analysis::Mean effect(std::size_t cell) const;
    /// Returns the mean change as a share of the mean difference between the two runs.
    [[nodiscard]] analysis::Mean normalised(std::size_t cell) const;
};

/// The measurement of one pair.
struct MeasuredPair {
    why::Metric metric;
    double clean = 0, corrupt = 0; ///< the metric of its runs
    std::vector<double> values;    ///< by cell
};
/// Appends a pair. Fails if its number of cells differs from before.
[[nodiscard]] Result<void> append(OverPairs& over, const PromptPair& pair, const MeasuredPair& measured);
/// Fails if the two runs have the same metric, so that patching is uninformative.
[[nodiscard]] Result<void> checkDifference(const OverPairs& over);

/// Measures the metric in each cell of one pair, patched from `from` into `into`.
using MeasurePair = std::function<Result<std::vector<double>>(const why::Recording& into, const why::Recording& from,
                                                              const why::Metric& metric, const Control& control)>;

/// Returns the pairs as pieces of work. All arguments, including `pairs`, must outlive it.
[[nodiscard]] PiecedWork pairPieces(const lm::Model& model, const lm::Edits& base, const std::vector<PromptPair>& pairs,
                                    PatchDirection direction, MeasurePair measure);

/// Measures all pairs. If stopped after the first of several, returns the means so far, with `asked` larger than their
/// number. Fails for pairs with different numbers of cells, and if the two runs have the same metric, so that patching
/// is uninformative.
[[nodiscard]] Result<OverPairs> measurePairs(const lm::Model& model, const lm::Edits& base,
                                             const std::vector<PromptPair>& pairs, PatchDirection direction,
                                             const MeasurePair& measure, const Control& control,
                                             const MeasurePieces& pieces = measureHere);

} // namespace headscope::engine
