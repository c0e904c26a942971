// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Requests for path patching (edges between parts of a model) and their replies: plain values without tensors. Any
// thread.

#include "app/backend/values/pairquestion.h"
#include "core/analysis/statistics.h"

#include <string>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;
struct EdgeReply;

/// An end of an edge: the embedding, a head, the MLP in the layer of `head`, or the logits.
struct CircuitPart {
    enum class Kind { Embedding, Head, Mlp, Logits };
    Kind kind = Kind::Head;
    interventions::HeadRef head;
    bool operator==(const CircuitPart&) const = default;
};

enum class EdgesAround { Feeding, Listening, Both };

/// Requests the edges into a part, the edges out of it, or both.
struct EdgeQuestion {
    using Reply = EdgeReply;
    PairQuestion of;
    CircuitPart part;
    EdgesAround around = EdgesAround::Both;
    bool operator==(const EdgeQuestion&) const = default;
};

struct FoundEdge {
    CircuitPart from, to;
    std::string fromName, toName; ///< "L1H2", "L1.mlp", "embed", "logits"
    std::string reads;            ///< input of `to`: "q", "k", "v", "gate"; SSMs "c", "b", "x", "dt"; or ""
    analysis::Mean change; ///< change of the logit difference when this edge alone carries the other run's values
    analysis::Mean share;  ///< this change as a share of the difference between the two runs
};

struct EdgeReply {
    EdgeQuestion question;
    SavedAnalysis record; ///< set once the reply is final
    PairSummary over;
    std::string name;    ///< of the part in the question
    bool silent = false; ///< the part writes nothing into the residual stream, so nothing can read it
    std::vector<FoundEdge> edges;
    bool final = false;
};

[[nodiscard]] Job<EdgeReply> jobOf(const EdgeQuestion& request);

} // namespace headscope::app
