// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Estimates the cost of removing each head, for all heads at once from one forward and one backward pass: the gradient
// of each row's margin with respect to a gate on each head's output (first-order attribution). It is exact only if the
// margin is linear in the gate. Examples are therefore added only until two halves of them agree on the ranking. Worker
// thread.

#include "core/base/pieces.h"
#include "core/engine/ranking/rank.h"

#include <memory>
#include <optional>

namespace headscope::engine {

struct EstimateOptions {
    /// 1: the gradient with all heads on. More: its mean over this many points on the path from all heads off to all on
    /// (Sundararajan et al. 2017, integrated gradients), in as many passes; for models so certain of their answers that
    /// a small change of one head has no effect.
    int steps = 1;
    /// The graphs of all layers are stored while they are smaller than this; otherwise one layer's at a time, at the
    /// cost of another forward pass.
    std::int64_t graphBytes = std::int64_t{1} << 30;
    /// Stop at this rank correlation with the ranking of as many other examples; 1: use all examples.
    double agreement = 0.95;
    std::uint64_t seed = 0;  ///< seed of the order of examples
    int firstExamples = 16;  ///< doubled each time
    std::int64_t memory = 0; ///< bytes that tensors may use beside the weights; 0: no limit
};

struct Estimate {
    std::vector<RankedHead> heads; ///< `n` examples each
    /// From the rank correlation r of two halves of the examples: 2 r / (1 + r) (Spearman 1910, Brown 1910, Brit. J.
    /// Psychology 3:271, 296). None if undefined: few heads, or all equal.
    std::optional<double> agreement;
    /// Forecast of the bytes for all examples beside the weights, from the longest alone; only if there is a
    /// limit.
    std::optional<std::int64_t> forecast;
};

/// Predicted cost of an estimate.
struct EstimateCost {
    double seconds = 0;     ///< if all examples are needed
    std::int64_t bytes = 0; ///< beside the weights, if there is no limit
};

/// Heads by estimated change of the mean margin when the head is removed in addition to `fixed`, computed a few layers
/// of a batch at a time, so that the caller can do other work between steps and read interim results. Works batch by
/// batch, for wide models with one layer's graph in memory.
class RemovalEstimate
{
public:
    /// Starts an estimate. Benchmark and model must outlive it. Fails if no row has a margin (generated answers), and
    /// for `swap:`, whose layer the gates do not reach.
    [[nodiscard]] static Result<RemovalEstimate> start(const Benchmark& benchmark, const lm::Model& model,
                                                       const interventions::InterventionSet& fixed,
                                                       const lm::DonorLoader& donors, const EstimateOptions& options);
    RemovalEstimate(RemovalEstimate&& other) noexcept;
    RemovalEstimate& operator=(RemovalEstimate&& other) noexcept;
    ~RemovalEstimate();

    /// Runs layers for a twentieth of a second, at least one. Returns false when there are enough examples. When
    /// stopped, the next step continues with the unfinished layer; the numbers equal those of an uninterrupted
    /// estimate. Fails if memory is too small for one example, and if no row could be scored.
    [[nodiscard]] Result<bool> step(const Control& control);
    /// Runs all steps, with the batches of a round measured by `pieces`. The numbers are the same.
    [[nodiscard]] Result<void> run(const MeasurePieces& pieces, const Control& control);
    /// Has `pieces` measure the batches of all rounds, as if no round sufficed; results are not used.
    [[nodiscard]] Result<void> measureAll(const MeasurePieces& pieces, const Control& control);
    [[nodiscard]] std::int64_t examples() const; ///< number of examples used so far
    /// Returns the estimate from the examples so far, at least one: the largest loss first; `value` and `margin` are
    /// the change, `estimate` is set, `interval` gives the spread over examples, not the estimate's error.
    [[nodiscard]] Estimate estimate() const;

private:
    friend Result<EstimateCost> forecastEstimate(const Benchmark& benchmark, const lm::Model& model,
                                                 const Control& control, EstimateOptions options);
    class Work;
    explicit RemovalEstimate(std::unique_ptr<Work> work);
    std::unique_ptr<Work> m_work;
};

/// Runs all steps of an estimate.
[[nodiscard]] Result<Estimate> estimateRemovals(const Benchmark& benchmark, const lm::Model& model,
                                                const interventions::InterventionSet& fixed,
                                                const lm::DonorLoader& donors, const Control& control,
                                                const EstimateOptions& options = {});

/// Runs the longest example alone and extrapolates from it.
[[nodiscard]] Result<EstimateCost> forecastEstimate(const Benchmark& benchmark, const lm::Model& model,
                                                    const Control& control, EstimateOptions options = {});

} // namespace headscope::engine
