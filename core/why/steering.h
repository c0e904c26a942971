// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Steering directions: the mean difference of the streams of two lists of prompts before a layer (Turner et al. 2023,
// arXiv 2308.10248; Rimsky et al. 2023, arXiv 2312.06681). Worker thread.

#include "core/why/recording.h"

namespace headscope::why {

/// Returns mean(toward) - mean(away) of the stream before the layer at the last position; fp32 [D] on the host.
[[nodiscard]] Result<at::Tensor> meanDifference(const lm::Model& model, const std::vector<std::vector<int>>& toward,
                                                const std::vector<std::vector<int>>& away, int layer);

} // namespace headscope::why
