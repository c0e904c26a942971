// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A fitted Jacobian lens (Gurnee et al. 2026): for each layer the matrix that maps the stream before it to the final
// stream, to first order and averaged over prompts and positions. Worker thread.

#include "core/base/result.h"
#include "core/lm/model.h"

#include <map>

namespace headscope::why {

struct JacobianLens {
    /// J of the stream before a layer, fp32 [D, D], rows are the final stream's entries: one less in files, which count
    /// the stream after a layer. After the last layer it would be the identity and is omitted.
    std::map<int, at::Tensor> before;

    /// Returns the stream before `layer` [..., at least D] mapped to the end: [..., D] in the stream's dtype. Nothing
    /// if the lens has no matrix for the layer.
    [[nodiscard]] std::optional<at::Tensor> carried(const at::Tensor& stream, int layer, int layers) const;
};

} // namespace headscope::why
