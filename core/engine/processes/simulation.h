// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A ranking among many processes as a discrete-event simulation: each loads the model and claims
// chunks, with the baseline of a portion before its first chunk of it,  from the first one until none is left, as
// processes.h does it. Pure and seeded: the same questions, the same answers. Times in seconds, sizes in bytes. Any
// thread.

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::engine {

inline constexpr double kMostSeconds = 1e9, kMostCrowding = 1000; ///< of a time and a factor that make sense

/// What one process needs for each thing, with a processor (or a GPU) of its own.
struct ProcessCosts {
    double start = 0;                       ///< until it has met the first process, with the model loaded
    double baseline = 0;                    ///< of a portion, before its first chunk of it
    int together = 0;                       ///< chunks of a portion; 0: all are of one
    double chunk = 0;                       ///< one chunk, in the mean
    double chunkSpread = 0;                 ///< chunks differ evenly by this share of the mean, to both sides
    double claimBytes = 0, resultBytes = 0; ///< of a claim with its answer, and of a chunk's result with its receipt
    double serve = 0;                       ///< the first process's time for a claim or a result
};

struct Network {
    double latency = 0;        ///< of a message, one way, between two processes of a node
    double latencyBetween = 0; ///< between two nodes
    double bytesPerSecond = 0; ///< of the first process's connection; 0: no limit
};

/// What the cores of a node take from each other: memory, and caches that are filled anew at each change of turns.
struct Crowding {
    double busy = 1;   ///< factor by which work takes longer while all other cores work
    double shared = 1; ///< and factor where more processes than cores take turns
};

struct Cluster {
    int nodes = 1, ranksPerNode = 1;
    int coresPerNode = 0; ///< that the ranks of a node share; 0: each has its own
    Crowding crowding;
    Network network;
};

/// What happens to some processes.
struct Disturbances {
    struct Slow {
        int rank = 0;
        double factor = 1; ///< factor by which its chunks take longer
    };
    struct Lost {
        int node = 0;
        double at = 0; ///< seconds; all its processes are gone then. The first node cannot be lost
    };
    std::vector<Slow> slow;
    std::vector<Lost> lost;
    double patience = 30; ///< until a lost process is noticed
    bool stealing =
        true; ///< false: the chunks are dealt out in turn beforehand, and the first process runs what is owed
};

struct SimulationResult {
    double seconds = 0;        ///< until all chunks are in
    std::vector<int> chunksOf; ///< whose results they are
    std::vector<double> busy;  ///< of each process: seconds of loading, baseline and chunks
    double served = 0;         ///< seconds in which the first process answered, or its connection was busy
    int runTwice = 0;          ///< chunks that a second process ran
    int baselines = 0;         ///< of portions, that were measured
    double waited = 0;         ///< of all processes: from a claim to its answer
    double idle = 0;           ///< of all processes that live: after their last chunk until the end
};

/// Fails for a work without chunks, a cluster without processes, times below zero or above kMostSeconds.
[[nodiscard]] Result<SimulationResult> simulate(int chunks, const ProcessCosts& costs, const Cluster& cluster,
                                                const Disturbances& disturbances, std::uint64_t seed);

/// Seconds of one process for the same.
[[nodiscard]] double alone(int chunks, const ProcessCosts& costs, std::uint64_t seed);

/// Where scaling stops being linear: the largest of what a run of `ranks` processes loses against a `ranks`-th of one
/// alone, in words for a person: "waiting for the first process's answers", ...
[[nodiscard]] std::string whyNotLinear(const SimulationResult& result, int chunks, const ProcessCosts& costs,
                                       const Cluster& cluster);

} // namespace headscope::engine
