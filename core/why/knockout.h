// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention knockout in a window of layers: positions of one span stop reading another in all heads of w
// consecutive layers; the effect is reported by the window's middle layer (Geva et al. 2023, arXiv 2304.14767).
// Worker thread.

#include "core/why/recording.h"

namespace headscope::why {

struct KnockoutWindow {
    int first = 0, last = 0; ///< layers
    double difference = 0;
};

struct KnockoutSweep {
    interventions::PositionSpan queries, keys;
    bool beforeSoftmax = true; ///< for attention; entries of SSM heads beside it are set to zero
    int width = 1;             ///< layers per window, fewer at the ends
};

/// Returns the metric with each window knocked out, one window centred on each layer, if it has heads that run. Fails
/// for spans that overlap or are outside the prompt, where lm::checkSameHeads() fails, if no heads run, and with
/// beforeSoftmax for a model without attention.
[[nodiscard]] Result<std::vector<KnockoutWindow>> knockoutSweep(const lm::Model& model, const lm::Edits& base,
                                                                const std::vector<int>& ids, const Metric& metric,
                                                                const KnockoutSweep& sweep,
                                                                const Control& control = {});

} // namespace headscope::why
