// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Knockout of edges in a window of layers: positions of one span stop reading another in all heads of w layers that
// follow each other; what that costs against the window's middle layer (Geva et al. 2023, arXiv 2304.14767). Worker
// thread.

#include "core/why/recording.h"

namespace headscope::why {

struct KnockoutWindow {
    int first = 0, last = 0; ///< layers
    double difference = 0;
};

struct KnockoutSweep {
    interventions::PositionSpan queries, keys;
    bool beforeSoftmax = true; ///< of attention; SSM heads beside it have their entries set to zero
    int width = 1;             ///< layers in a window, at the ends fewer
};

/// The metric with each window knocked out, one window for each layer with heads as its middle. Fails for spans that
/// overlap or lie outside the text, and before the softmax for a model without attention.
[[nodiscard]] Result<std::vector<KnockoutWindow>> knockoutSweep(const lm::Model& model, const lm::Edits& base,
                                                                const std::vector<int>& ids, const Metric& metric,
                                                                const KnockoutSweep& sweep,
                                                                const Control& control = {});

} // namespace headscope::why
