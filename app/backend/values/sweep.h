// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention knockout in a sliding window of layers: plain values. Any thread.

#include "app/backend/values/why.h"

namespace headscope::app {

template <typename Reply> struct Job;
struct SweepReply;

struct SweepQuestion {
    using Reply = SweepReply;
    WhyQuestion of;
    interventions::PositionSpan queries, keys;
    bool beforeSoftmax = true; ///< attention only; otherwise the entries of every mixer become zero
    int width = 1;             ///< layers
};

struct SweepWindow {
    int first = 0, last = 0; ///< layers
    double difference = 0;
};

struct SweepReply {
    SweepQuestion question;
    SavedAnalysis record;
    std::string answer, distractor;
    AnswerTokens tokens;   ///< the same two
    double difference = 0; ///< with no edge knocked out
    std::vector<SweepWindow> windows;
};

[[nodiscard]] Job<SweepReply> jobOf(const SweepQuestion& request);

} // namespace headscope::app
