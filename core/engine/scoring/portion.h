// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A benchmark run some examples at a time, batch by batch in the order in which all of it runs. Worker thread.

#include "core/engine/scoring/benchmark.h"

namespace headscope::engine {

/// Some of the rows that are missing.
struct Portion {
    std::vector<bool> rows;  ///< by example; empty: none is missing
    std::int64_t tokens = 0; ///< that are run for them
};

/// Those of the next batches: at least one batch, and of more as many as `tokens` hold. `among`: only these examples;
/// empty: all.
[[nodiscard]] Portion nextPortion(const Benchmark& benchmark, const Rows& rows, std::int64_t tokens,
                                  const std::vector<bool>& among = {});

/// All examples in at most that many portions of like size. No batch is in two of them, unless that left fewer than
/// `least` portions: then what examples share with the next portion's batch is run twice.
[[nodiscard]] std::vector<Portion> portionsOf(const Benchmark& benchmark, int most, int least);

/// Benchmark::run() for these examples; empty: for all.
[[nodiscard]] Result<void> runOnly(const std::vector<bool>& only, const Benchmark& benchmark, Scorer& scorer,
                                   const interventions::InterventionSet& set, const lm::DonorLoader& donors, Rows& rows,
                                   const Benchmark::RowSink& sink, const Control& control);

} // namespace headscope::engine
