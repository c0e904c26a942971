// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the removal of each head would cost, estimated for all heads at once from one forward and one backward pass: the
// gradient of each row's margin with respect to a gate on each head's output (first-order attribution). An estimate:
// exact only where the margin is linear in the gate. So examples are taken only until two halves of them rank the heads
// alike. Worker thread.

#include "core/engine/ranking/rank.h"

#include <optional>

namespace headscope::engine {

struct EstimateOptions {
    /// 1: the gradient with all heads on. More: its mean over as many points on the way from all heads off to all on
    /// (Sundararajan et al. 2017, integrated gradients), as many passes; for models whose answers are so sure that a
    /// small change of one head moves nothing.
    int steps = 1;
    /// The graphs of all layers are kept while they are smaller than this, else one layer's at a time, for another
    /// forward pass.
    std::int64_t graphBytes = std::int64_t{1} << 30;
    /// Rank correlation of the ranking with that of as many other examples at which no more are taken; 1: all are.
    double agreement = 0.95;
    std::uint64_t seed = 0;  ///< of the order in which examples are taken
    int firstExamples = 16;  ///< twice as many each time
    std::int64_t memory = 0; ///< bytes that tensors may take beside the weights; 0: no limit
};

struct Estimate {
    std::vector<RankedHead> heads; ///< `n` examples each
    /// From the rank correlation r of two halves of the examples: 2 r / (1 + r) (Spearman 1910, Brown 1910, Brit. J.
    /// Psychology 3:271, 296). None where it is not defined: few heads, or all alike.
    std::optional<double> agreement;
    /// Bytes that all examples were forecast to take beside the weights, from the longest alone; only where there is a
    /// limit.
    std::optional<std::int64_t> forecast;
};

/// Heads by estimated change of the mean margin when the head is removed on top of `fixed`, the largest loss first;
/// `value` and `margin` are that change, `estimate` is set, `interval` tells the spread over examples and nothing about
/// the error of the estimate. Works batch by batch, for wide models with one layer's graph in memory. Fails when no row
/// has a margin (generated answers), for `swap:`, into whose layer the gates do not reach, and where the memory is too
/// small for one example.
[[nodiscard]] Result<Estimate> estimateRemovals(const Benchmark& benchmark, const lm::Model& model,
                                                const interventions::InterventionSet& fixed,
                                                const lm::DonorLoader& donors, const Control& control,
                                                const EstimateOptions& options = {});

/// What an estimate would take.
struct EstimateCost {
    double seconds = 0;     ///< where all examples are needed
    std::int64_t bytes = 0; ///< beside the weights, where there is no limit
};

/// Runs the longest example alone, and counts from it.
[[nodiscard]] Result<EstimateCost> forecastEstimate(const Benchmark& benchmark, const lm::Model& model,
                                                    const Control& control, EstimateOptions options = {});

} // namespace headscope::engine
