// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is asked of activation patching in the window, and what comes back: plain values without tensors. Any thread.

#include "app/backend/values/pairquestion.h"
#include "core/analysis/mean.h"
#include "core/base/matrix.h"

#include <string>
#include <utility>

#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;
struct PatchReply;
struct PatchLookReply;

enum class PatchedPart { Heads, HeadsByToken, Stream, Mixer, Mlp, State };

/// Which parts of one run are put into the other.
struct PatchQuestion {
    using Reply = PatchReply;
    PairQuestion of;
    PatchedPart part = PatchedPart::Heads; ///< heads at all positions together, the others at each position
    int layer = -1;                        ///< of HeadsByToken: the heads of this layer alone; -1: all
    bool operator==(const PatchQuestion&) const = default;
};

/// What the metric becomes with one part put in: 0 as without, 1 as the other run.
struct PatchedCell {
    interventions::HeadRef head; ///< head -1: the layer's stream, mixers or MLP
    int position = -1;           ///< -1: all together
    analysis::Mean share;        ///< over the pairs; an interval where there are several
};

struct PatchReply {
    PatchQuestion question;
    SavedAnalysis record; ///< when it is final
    PairSummary over;
    std::vector<PatchedCell> cells;
    bool final = false;
};

/// Cells of a map that are put in together, of the first pair, and the head whose map is looked at then.
struct PatchLook {
    using Reply = PatchLookReply;
    PatchQuestion question;
    std::vector<PatchedCell> cells; ///< which; their shares do not matter
    interventions::HeadRef head;

    [[nodiscard]] bool isOf(const PatchQuestion& other) const
    {
        return question.of.state == other.of.state && question.part == other.part;
    }
};

struct PatchLookReply {
    PatchLook look;
    PairSummary over;
    double patched = 0; ///< logit difference
    double share = 0;   ///< of the way to the other run; NaN where the two are alike
    using Likely = std::vector<std::pair<std::string, double>>;
    Likely without, with, other;     ///< the likeliest next tokens of the run, of the patched one, of the donor
    std::vector<std::string> tokens; ///< of the run that is patched
    Matrix before, after;            ///< the head's map without and with the patch, [T, T]; empty: no map, and why
    std::string noMap;
};

[[nodiscard]] Job<PatchReply> jobOf(const PatchQuestion& request);

[[nodiscard]] Job<PatchLookReply> jobOf(const PatchLook& request);

} // namespace headscope::app
