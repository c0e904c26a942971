// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/alibi.h"

#include <bit>
#include <cmath>

namespace headscope::lm {

namespace {

// Of a power of two: the first, and each the first times the one before.
at::Tensor powersForHeads(unsigned heads)
{
    const auto first = static_cast<float>(std::pow(2.0, -8.0 / heads));
    return at::pow(at::scalar_tensor(first, at::kFloat), at::arange(1, heads + 1, at::kInt));
}

} // namespace

at::Tensor alibiSlopes(int heads)
{
    const unsigned lower = std::bit_floor(static_cast<unsigned>(heads));
    const at::Tensor slopes = powersForHeads(lower);
    return lower == static_cast<unsigned>(heads)
               ? slopes
               : at::cat({slopes, powersForHeads(2 * lower).slice(0, 0, {}, 2).narrow(0, 0, heads - lower)});
}

at::Tensor Alibi::bias(const at::Tensor& positions) const
{
    return ((slopes.unsqueeze(-1) * positions.unsqueeze(1)).to(at::kFloat) * scale).unsqueeze(2);
}

} // namespace headscope::lm
