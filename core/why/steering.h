// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A direction to steer by: the mean difference of what two lists of prompts bring to a layer (Turner et al. 2023, arXiv
// 2308.10248; Rimsky et al. 2023, arXiv 2312.06681). Worker thread.

#include "core/why/recording.h"

namespace headscope::why {

/// Of the stream before the layer at the last position, mean of `toward` less mean of `away`; fp32 [D] on the host.
[[nodiscard]] Result<at::Tensor> meanDifference(const lm::Model& model, const std::vector<std::vector<int>>& toward,
                                                const std::vector<std::vector<int>>& away, int layer);

} // namespace headscope::why
