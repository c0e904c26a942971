// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs a benchmark a few examples at a time, batch by batch in the order of a complete run. Worker thread.

#include "core/engine/scoring/benchmark.h"

namespace headscope::engine {

/// Some of the missing rows.
struct Portion {
    std::vector<bool> rows;  ///< by example; empty: none is missing
    std::int64_t tokens = 0; ///< tokens to run for them
};

/// Returns the rows of the next batches: at least one batch, and more as long as `tokens` allows. `among`: only these
/// examples; empty: all.
[[nodiscard]] Portion nextPortion(const Benchmark& benchmark, const Rows& rows, std::int64_t tokens,
                                  const std::vector<bool>& among = {});

/// Splits all examples into at most `most` portions of similar size. No batch is in two of them, unless that leaves
/// fewer than `least` portions: then tokens shared by examples in two portions are run twice.
[[nodiscard]] std::vector<Portion> portionsOf(const Benchmark& benchmark, int most, int least);

/// States of a model (pieces) on the examples of a benchmark, to be measured by several processes.
struct WorkSize {
    int pieces = 1;
    std::int64_t parameters = 0; ///< number of the model's parameters
    int processes = 1;           ///< number of processes it is cut for; any number can take part
    bool everyPart = false;      ///< each process gets a chunk, even if an example must be run twice for it
    bool alone = true;           ///< no piece takes values from all examples
};

/// How work becomes chunks: a number of pieces on one portion of the examples. The same on every machine.
struct WorkCut {
    std::vector<Portion> portions;
    int pieces = 1;
    int each = 1; ///< pieces per chunk; the last of a portion has the rest

    /// Returns the number of chunks per portion.
    [[nodiscard]] int together() const { return (pieces + each - 1) / each; }
    [[nodiscard]] int chunks() const { return static_cast<int>(portions.size()) * together(); }
};

/// Cuts work into about 64 chunks per process, so that no process waits long for the last one, but none shorter than a
/// few hundredths of a second. At most eight portions per process, unless there are few pieces: a process runs the
/// clean model once per portion, and again for each portion of another process that it helps with.
[[nodiscard]] WorkCut cutWork(const Benchmark& benchmark, const WorkSize& size);

/// Runs Benchmark::run() for these examples; empty: for all.
[[nodiscard]] Result<void> runOnly(const std::vector<bool>& only, const Benchmark& benchmark, Scorer& scorer,
                                   const interventions::InterventionSet& set, const lm::DonorLoader& donors, Rows& rows,
                                   const Benchmark::RowSink& sink, const Control& control);

} // namespace headscope::engine
