// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/lenses/jacobianlens.h"

namespace headscope::why {

std::optional<at::Tensor> JacobianLens::carried(const at::Tensor& stream, int layer, int layers) const
{
    if (layer == layers)
        return stream;
    const auto found = before.find(layer);
    if (found == before.end())
        return std::nullopt;
    const at::Tensor& matrix = found->second;
    const at::Tensor own = stream.narrow(-1, 0, matrix.size(0)).to(at::kFloat);
    return at::matmul(own, matrix.to(own.device()).t()).to(stream.scalar_type());
}

} // namespace headscope::why
