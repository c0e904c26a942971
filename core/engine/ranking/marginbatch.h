// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Examples in batches from whose logits their margins can be computed as tensors, gradients and all. Worker thread.

#include "core/engine/scoring/benchmark.h"

#include <span>
#include <vector>

namespace headscope::engine {

/// The examples that have a margin (see margin.h), in a seeded order.
[[nodiscard]] std::vector<int> examplesWithMargin(const Benchmark& benchmark, std::uint64_t seed);

/// Whole examples of like length, since a margin needs all choices of its example; packed (with a tree) where that
/// saves much and `mayShare`, else padded. `budget`: positions of one batch, kept but for a single example that has
/// more.
[[nodiscard]] std::vector<Workload::Batch> wholeExamples(const Benchmark& benchmark, std::span<const int> examples,
                                                         std::int64_t budget, bool mayShare);

/// Where the choices' tokens are read off, as index tensors on the model's device. A padded batch has B texts, a packed
/// one is one text of N positions.
struct MarginReading {
    at::Tensor rows;    ///< [B, R] or [1, R]: positions at which logits are wanted
    at::Tensor last;    ///< [B]; undefined when packed
    at::Tensor places;  ///< [targets]: index into [B * R]
    at::Tensor tokens;  ///< [targets]
    at::Tensor choices; ///< [targets]: which choice of the batch a target belongs to
    at::Tensor gold;    ///< [E]: the right choice of each example, counted through the batch
    at::Tensor others;  ///< [E, C]: its other choices; `choiceCount` is a likelihood of 1, one more an absent one
    std::int64_t choiceCount = 0;
    at::Tensor share; ///< fp32 [E, G]: what of each gate (one a text, or one a packed position) is each example's
};

[[nodiscard]] MarginReading marginReading(const Benchmark& benchmark, const Workload::Batch& batch,
                                          const at::Device& device);

/// The examples' margins, nats, [E]. logits: [B, R, V] fp32 at the reading's rows.
[[nodiscard]] at::Tensor margins(const at::Tensor& logits, const MarginReading& reading);

} // namespace headscope::engine
