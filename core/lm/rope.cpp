// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/ops.h"

#include <algorithm>
#include <cmath>

namespace headscope::lm {

at::Tensor Rope::rotate(const at::Tensor& x, const at::Tensor& positions, std::int64_t length) const
{
    if (!defined())
        return x;
    at::Tensor frequencies = inverseFrequencies;
    const std::int64_t dims = 2 * frequencies.size(0);
    if (dynamicFactor > 0 && length > maxPositions) {
        // The base grows with the text (architectures, section 3.3), for the whole sequence at once.
        const double grown = dynamicFactor * static_cast<double>(length) / static_cast<double>(maxPositions) - (dynamicFactor - 1);
        const double base = theta * std::pow(grown, static_cast<double>(dims) / static_cast<double>(dims - 2));
        frequencies = at::pow(base, at::arange(0, dims, 2, frequencies.options()) / -static_cast<double>(dims));
    }
    const at::Tensor angle = positions.to(at::kFloat).unsqueeze(-1) * frequencies; // [T, D/2] or [B, T, D/2]
    const bool perSample = angle.dim() == 3;
    const auto shaped = [&](const at::Tensor& t) {
        const at::Tensor scaled = (attentionFactor == 1.0 ? t : t * attentionFactor).to(x.scalar_type());
        return perSample ? scaled.unsqueeze(1) : scaled;
    };
    const at::Tensor cosine = shaped(angle.cos());
    const at::Tensor sine = shaped(angle.sin());
    const at::Tensor a = x.narrow(-1, 0, dims / 2);
    const at::Tensor b = x.narrow(-1, dims / 2, dims / 2);
    const at::Tensor rotatedA = a * cosine - b * sine;
    const at::Tensor rotatedB = b * cosine + a * sine;
    if (dims == x.size(-1))
        return at::cat({rotatedA, rotatedB}, -1);
    return at::cat({rotatedA, rotatedB, x.narrow(-1, dims, x.size(-1) - dims)}, -1);
}

} // namespace headscope::lm
