// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Requests for activation patching in the window, and their replies: plain values without tensors. Any thread.

#include "app/backend/values/pairquestion.h"
#include "core/analysis/statistics.h"
#include "core/base/matrix.h"

#include <string>
#include <utility>

#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;
struct PatchReply;
struct PatchedRunReply;

enum class PatchedPart { Heads, HeadsByToken, Stream, Mixer, Mlp, State };

/// Requests a map of the effects of patching each part of one run into the other.
struct PatchQuestion {
    using Reply = PatchReply;
    PairQuestion of;
    PatchedPart part = PatchedPart::Heads; ///< heads at all positions at once; other parts at each position
    int layer = -1;                        ///< of HeadsByToken: heads of this layer only; -1: all layers
    bool operator==(const PatchQuestion&) const = default;
};

/// The effect of patching one part, scaled so that 0 is the unpatched run and 1 the other run.
struct PatchedCell {
    interventions::HeadRef head; ///< head -1: the residual stream, mixers or MLP of the layer
    int position = -1;           ///< -1: all positions at once
    analysis::Mean share;        ///< mean over the pairs; with an interval if there are several
};

struct PatchReply {
    PatchQuestion question;
    SavedAnalysis record; ///< set once the reply is final
    PairSummary over;
    std::vector<PatchedCell> cells;
    bool final = false;
};

/// Requests a run of the first pair with several cells patched at once, and the map of one head in it.
struct PatchedRunRequest {
    using Reply = PatchedRunReply;
    PatchQuestion question;
    std::vector<PatchedCell> cells; ///< cells to patch; their shares are ignored
    interventions::HeadRef head;

    [[nodiscard]] bool isOf(const PatchQuestion& other) const
    {
        return question.of.state == other.of.state && question.part == other.part;
    }
};

struct PatchedRunReply {
    PatchedRunRequest look;
    PairSummary over;
    double patched = 0; ///< logit difference
    double share = 0;   ///< share of the difference between the runs; NaN if the two are equal
    using Likely = std::vector<std::pair<std::string, double>>;
    Likely without, with, other;     ///< most probable next tokens of the unpatched run, the patched run and the donor
    std::vector<std::string> tokens; ///< of the patched run
    Matrix before, after;            ///< the head's map without and with the patch, [T, T]; empty: no map, see noMap
    std::string noMap;
};

[[nodiscard]] Job<PatchReply> jobOf(const PatchQuestion& request);

[[nodiscard]] Job<PatchedRunReply> jobOf(const PatchedRunRequest& request);

} // namespace headscope::app
