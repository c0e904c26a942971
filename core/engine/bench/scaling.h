// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What `headscope-cli bench scaling` gives: how a ranking scales to many processes, simulated from times and message
// sizes that are measured here. Worker thread.

#include "core/base/progress.h"
#include "core/engine/processes/simulation.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace headscope::engine {

/// A ranking of `heads` heads, with the costs of one head in place of a chunk's.
struct ScalingWork {
    std::string name;
    int heads = 0;
    int batches = 1;         ///< in which the examples run: in no more portions can they be cut
    ProcessCosts costs;      ///< baseline, chunk, resultBytes: of all examples, of one head on them
    Crowding crowding;       ///< where processes share a node's cores
    double headBytes = 0;    ///< of a result for each further head of a chunk
    std::string assumptions; ///< what of it was not measured
};

struct ScalingOptions {
    std::filesystem::path model; ///< whose click is timed
    int threads = 0;
    int coresPerNode = 0; ///< that the processes of a node share; 0: each has its own
    std::uint64_t seed = 1;
};

/// Messages between two processes, measured over loopback: their size and what they take.
[[nodiscard]] Result<ProcessCosts> measureMessages(int items);

/// The model of the options, and the shapes of 8 and 70 billion weights at the rate of this processor and of an
/// accelerator. Fails where the model cannot be run.
[[nodiscard]] Result<std::vector<ScalingWork>> measureScaling(const ScalingOptions& options, const Control& control);

/// What somebody measured elsewhere: {"name", "heads", "start", "baseline", "head"} in seconds, and where they are
/// known "batches", "busy" and "shared" (Crowding). Messages are measured here. Fails with one sentence for text that
/// is cut off or makes no sense.
[[nodiscard]] Result<ScalingWork> scalingWork(std::string_view text, const std::string& where);

/// The line of format headscope-bench-scaling/1: for each work 1 to 64 processes on up to 8 nodes, where that stops
/// being linear and why, and what slow, late and lost processes cost with stealing and without.
[[nodiscard]] Result<nlohmann::json> scalingLine(const std::vector<ScalingWork>& works, const ScalingOptions& options);

} // namespace headscope::engine
