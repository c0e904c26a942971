// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the removal of each head would cost, estimated for all heads at once from one forward and one backward pass: the
// gradient of each row's margin with respect to a gate on each head's output (first-order attribution). An estimate:
// exact only where the margin is linear in the gate. So examples are taken only until two halves of them rank the heads
// alike. Worker thread.

#include "core/base/pieces.h"
#include "core/engine/ranking/rank.h"

#include <memory>
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

/// What an estimate would take.
struct EstimateCost {
    double seconds = 0;     ///< where all examples are needed
    std::int64_t bytes = 0; ///< beside the weights, where there is no limit
};

/// Heads by estimated change of the mean margin when the head is removed on top of `fixed`, some layers of a batch at a
/// time, so that its caller can do other things between two steps and read what is known so far. Works batch by
/// batch, for wide models with one layer's graph in memory.
class RemovalEstimate
{
public:
    /// Benchmark and model outlive it. Fails when no row has a margin (generated answers), and for `swap:`, into whose
    /// layer the gates do not reach.
    [[nodiscard]] static Result<RemovalEstimate> start(const Benchmark& benchmark, const lm::Model& model,
                                                       const interventions::InterventionSet& fixed,
                                                       const lm::DonorLoader& donors, const EstimateOptions& options);
    RemovalEstimate(RemovalEstimate&& other) noexcept;
    RemovalEstimate& operator=(RemovalEstimate&& other) noexcept;
    ~RemovalEstimate();

    /// Layers for a twentieth of a second, at least one. False when enough examples are in. When stopped, the next step
    /// continues with the layer that was not finished; the numbers are those of an estimate that never was. Fails where
    /// the memory is too small for one example, and where no row could be scored.
    [[nodiscard]] Result<bool> step(const Control& control);
    /// All steps at once, with the batches of a round measured by `pieces`. The numbers are the same.
    [[nodiscard]] Result<void> run(const MeasurePieces& pieces, const Control& control);
    /// Has `pieces` measure the batches of all rounds, as if no round were enough; nothing is taken in.
    [[nodiscard]] Result<void> measureAll(const MeasurePieces& pieces, const Control& control);
    [[nodiscard]] std::int64_t examples() const; ///< that are in
    /// Of the examples that are in, at least one: the largest loss first; `value` and `margin` are the change,
    /// `estimate` is set, `interval` gives the spread over examples and nothing about the error of the estimate.
    [[nodiscard]] Estimate estimate() const;

private:
    friend Result<EstimateCost> forecastEstimate(const Benchmark& benchmark, const lm::Model& model,
                                                 const Control& control, EstimateOptions options);
    class Work;
    explicit RemovalEstimate(std::unique_ptr<Work> work);
    std::unique_ptr<Work> m_work;
};

/// All steps of it.
[[nodiscard]] Result<Estimate> estimateRemovals(const Benchmark& benchmark, const lm::Model& model,
                                                const interventions::InterventionSet& fixed,
                                                const lm::DonorLoader& donors, const Control& control,
                                                const EstimateOptions& options = {});

/// Runs the longest example alone, and counts from it.
[[nodiscard]] Result<EstimateCost> forecastEstimate(const Benchmark& benchmark, const lm::Model& model,
                                                    const Control& control, EstimateOptions options = {});

} // namespace headscope::engine
