// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/ops.h"

#include <cmath>

namespace headscope::lm {

at::Tensor Rope::frequenciesFor(std::int64_t length) const
{
    if (turnsBeyond() == 0 || length <= maxPositions)
        return inverseFrequencies;
    if (longFrequencies.defined())
        return longFrequencies;
    // The base grows with the text, for the whole sequence at once.
    const std::int64_t dims = 2 * inverseFrequencies.size(0);
    const double grown =
        dynamicFactor * static_cast<double>(length) / static_cast<double>(maxPositions) - (dynamicFactor - 1);
    const double base = theta * std::pow(grown, static_cast<double>(dims) / static_cast<double>(dims - 2));
    return at::pow(base, at::arange(0, dims, 2, inverseFrequencies.options()) / -static_cast<double>(dims));
}

std::pair<at::Tensor, at::Tensor> Rope::tables(std::int64_t length, std::int64_t first) const
{
    const at::Tensor frequencies = frequenciesFor(length);
    if (length == first + 1 && frequencies.is_cpu()) { // the next token: less than what calling the library takes
        at::Tensor cosine = at::empty({1, frequencies.size(0)}, frequencies.options()), sine = at::empty_like(cosine);
        for (std::int64_t i = 0; i < frequencies.size(0); ++i) {
            const float angle = static_cast<float>(first) * frequencies.const_data_ptr<float>()[i];
            cosine.mutable_data_ptr<float>()[i] = std::cos(angle) * static_cast<float>(attentionFactor);
            sine.mutable_data_ptr<float>()[i] = std::sin(angle) * static_cast<float>(attentionFactor);
        }
        return {cosine, sine};
    }
    const at::Tensor angle = at::arange(first, length, frequencies.options()).unsqueeze(-1) * frequencies;
    return {(angle.cos() * attentionFactor).contiguous(), (angle.sin() * attentionFactor).contiguous()};
}

at::Tensor Rope::rotate(const at::Tensor& x, const at::Tensor& positions, std::int64_t length) const
{
    if (!defined())
        return x;
    const at::Tensor frequencies = frequenciesFor(length);
    const std::int64_t dims = 2 * frequencies.size(0);
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
