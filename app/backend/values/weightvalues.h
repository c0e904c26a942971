// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores of heads from their weights, and from probe sequences: plain values without tensors. Any thread.

#include "app/backend/values/headvalues.h"
#include "app/backend/values/modelvalues.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;
struct WeightsReply;
struct ProbeReply;

struct WeightsQuestion {
    using Reply = WeightsReply;
    Side side = Side::A;
    interventions::HeadRef head; ///< composition and directions are computed for this head
    bool allCopying = true;      ///< compute the copying score of every head, not of this one only

    bool operator==(const WeightsQuestion&) const = default;
};

/// The composition score of two heads: how strongly one is built to read the other's output.
struct ComposedHeads {
    std::string sender, receiver; ///< "L1H2", "L2H5"
    std::string through;          ///< q, k, v; of SSM heads c, b, x
    double value = 0;
};

/// A singular direction and the tokens nearest to its two ends, with their dot products.
struct HeadDirection {
    std::string matrix; ///< "OV", "QK"; of SSM heads x and C B respectively
    double value = 0;
    std::vector<std::pair<std::string, double>> read, write;
};

struct WeightsReply {
    WeightsQuestion question;
    SavedAnalysis record; ///< in the form a session stores
    std::string modelHash;
    std::vector<HeadValue> copying;
    std::vector<ComposedHeads> composed; ///< with the head as sender or receiver, highest above random first
    double random = 0;                   ///< composition of random matrices of this width
    std::vector<HeadDirection> directions;
    std::vector<std::string> undefined; ///< scores that are unknown and why, one sentence each
};

struct ProbeQuestion {
    using Reply = ProbeReply;
    ModelState state;
    int sequences = 10;
    std::uint64_t seed = 0;
    std::string task; ///< task that provides rows for the retrieval score; empty: none

    bool operator==(const ProbeQuestion&) const = default;
};

struct ProbedHead {
    HeadValue head;   ///< the head and its kind
    std::string name; ///< "L2H5"
    double induction = 0, previous = 0, duplicate = 0, sink = 0;
    double retrieval = 0; ///< NaN if there were no rows
};

struct ProbeReply {
    ProbeQuestion question;
    SavedAnalysis record;
    std::string modelHash;
    int sequences = 0, repeat = 0, rows = 0;
    std::vector<ProbedHead> heads;
};

[[nodiscard]] Job<WeightsReply> jobOf(const WeightsQuestion& request);

[[nodiscard]] Job<ProbeReply> jobOf(const ProbeQuestion& request);

} // namespace headscope::app
