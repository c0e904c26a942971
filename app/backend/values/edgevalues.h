// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is asked of edges between parts of a model in the window, and what comes back: plain values without tensors. Any
// thread.

#include "app/backend/values/pairquestion.h"
#include "core/analysis/mean.h"

#include <string>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;
struct EdgeReply;

/// What writes or reads: the embedding, a head, an MLP (of the layer of `head`), the logits.
struct CircuitPart {
    enum class Kind { Embedding, Head, Mlp, Logits };
    Kind kind = Kind::Head;
    interventions::HeadRef head;
    bool operator==(const CircuitPart&) const = default;
};

enum class EdgesAround { Feeding, Listening, Both };

/// What feeds a part, who listens to it, or both.
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
    std::string reads;     ///< through what `to` reads it: "q", "k", "v", "gate"; SSMs "c", "b", "x", "dt"; or ""
    analysis::Mean change; ///< of the logit difference, with this edge alone carrying the other run's
    analysis::Mean share;  ///< of the way to the other run
};

struct EdgeReply {
    EdgeQuestion question;
    SavedAnalysis record; ///< when it is final
    PairSummary over;
    std::string name;    ///< of the part asked about
    bool silent = false; ///< it writes nothing into the stream, so that nobody listens
    std::vector<FoundEdge> edges;
    bool final = false;
};

[[nodiscard]] Job<EdgeReply> jobOf(const EdgeQuestion& request);

} // namespace headscope::app
