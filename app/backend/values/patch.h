// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is asked of activation patching in the window, and what comes back: plain values without tensors. Any thread.

#include "app/backend/values/pairquestion.h"
#include "core/analysis/mean.h"

#include <vector>

namespace headscope::app {

enum class PatchedPart { Heads, Stream, Mixer, Mlp };

/// Which parts of one run are put into the other.
struct PatchQuestion {
    PairQuestion of;
    PatchedPart part = PatchedPart::Heads; ///< heads at all positions together, the others at each position
};

/// What the metric becomes with one part put in: 0 as without, 1 as the other run.
struct PatchedCell {
    interventions::HeadRef head; ///< head -1: the layer's stream, mixers or MLP
    int position = -1;           ///< -1: all together
    analysis::Mean share;        ///< over the pairs; an interval where there are several
};

struct PatchReply {
    PatchQuestion question;
    PairsTold over;
    std::vector<PatchedCell> cells;
    bool final = false;
};

} // namespace headscope::app
