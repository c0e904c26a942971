// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Batches of examples whose logits give margins as tensors, with gradients. Worker thread.

#include "core/engine/scoring/benchmark.h"

#include <span>
#include <vector>

namespace headscope::engine {

/// Returns the examples that have a margin (see margin.h), in a seeded order.
[[nodiscard]] std::vector<int> examplesWithMargin(const Benchmark& benchmark, std::uint64_t seed);

/// Returns batches of whole examples of similar length, since a margin needs all choices of its example; packed (with a
/// tree) if that saves much and `mayShare`, otherwise padded. `budget`: positions of one batch, exceeded only by a
/// single longer example.
[[nodiscard]] std::vector<Workload::Batch> wholeExamples(const Benchmark& benchmark, std::span<const int> examples,
                                                         std::int64_t budget, bool mayShare);

/// Where the choices' tokens are read, as index tensors on the model's device. A padded batch has B prompts, a packed
/// one is one prompt of N positions.
struct MarginReading {
    at::Tensor rows;    ///< [B, R] or [1, R]: positions whose logits are needed
    at::Tensor last;    ///< [B]; undefined when packed
    at::Tensor places;  ///< [targets]: index into [B * R]
    at::Tensor tokens;  ///< [targets]
    at::Tensor choices; ///< [targets]: index in the batch of the choice that a target belongs to
    at::Tensor gold;    ///< [E]: the right choice of each example, as an index in the batch
    at::Tensor others;  ///< [E, C]: its other choices; `choiceCount` means likelihood 1, one more an absent choice
    std::int64_t choiceCount = 0;
    at::Tensor share; ///< fp32 [E, G]: the part of each gate (one per prompt or packed position) of each example
};

[[nodiscard]] MarginReading marginReading(const Benchmark& benchmark, const Workload::Batch& batch,
                                          const at::Device& device);

/// Returns the examples' margins, nats, [E]. logits: [B, R, V] fp32 at the reading's rows.
[[nodiscard]] at::Tensor margins(const at::Tensor& logits, const MarginReading& reading);

} // namespace headscope::engine
