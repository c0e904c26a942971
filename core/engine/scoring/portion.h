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

/// States of a model (pieces) on the examples of a benchmark, which several processes measure.
struct WorkSize {
    int pieces = 1;
    std::int64_t parameters = 0; ///< of the model
    int processes = 1;           ///< for which it is cut; any number can take part
    bool everyPart = false;      ///< each process gets a chunk, though an example may have to be run twice for it
    bool alone = true;           ///< no piece takes values from all examples
};

/// How that becomes chunks: the number of pieces on one portion of the examples. The same on every machine.
struct WorkCut {
    std::vector<Portion> portions;
    int pieces = 1;
    int each = 1; ///< pieces of a chunk; of a portion's last one, what is left

    /// Chunks of a portion.
    [[nodiscard]] int together() const { return (pieces + each - 1) / each; }
    [[nodiscard]] int chunks() const { return static_cast<int>(portions.size()) * together(); }
};

/// About 64 chunks for each process, so that no process waits long for the last one, but none shorter than a few
/// hundredths of a second. At most eight portions for each, unless there are few pieces: a process runs the clean model
/// once per portion, and again for each portion of another process that it helps with.
[[nodiscard]] WorkCut cutWork(const Benchmark& benchmark, const WorkSize& size);

/// Benchmark::run() for these examples; empty: for all.
[[nodiscard]] Result<void> runOnly(const std::vector<bool>& only, const Benchmark& benchmark, Scorer& scorer,
                                   const interventions::InterventionSet& set, const lm::DonorLoader& donors, Rows& rows,
                                   const Benchmark::RowSink& sink, const Control& control);

} // namespace headscope::engine
