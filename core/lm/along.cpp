// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/along.h"

#include "core/lm/weights/packedweight.h"

namespace headscope::lm {

namespace {

at::Tensor productWith(const at::Tensor& a, const at::Tensor& b)
{
    return b.defined() ? (a * b.to(at::kFloat)).sum(-1) : at::zeros({a.size(0)}, a.options());
}

} // namespace

Along alongLinear(const Linear& map, const at::Tensor& direction)
{
    at::Tensor before = at::matmul(direction, denseOf(map.weight).to(at::kFloat));
    if (map.adapterIn.defined())
        before =
            before + at::matmul(at::matmul(direction, map.adapterOut.to(at::kFloat)), map.adapterIn.to(at::kFloat));
    return {before, productWith(direction, map.bias)};
}

Along alongNorm(const Norm& norm, const at::Tensor& x, const at::Tensor& direction)
{
    if (norm.kind == NormKind::None)
        return {direction, at::zeros({direction.size(0)}, direction.options())};
    const at::Tensor x32 = x.to(at::kFloat);
    at::Tensor along = direction;
    if (norm.weight.defined())
        along =
            along * (norm.kind == NormKind::RmsPlusOne ? norm.weight.to(at::kFloat) + 1.0 : norm.weight.to(at::kFloat));
    const at::Tensor constant = productWith(direction, norm.bias);
    if (norm.kind != NormKind::Layer)
        return {along * at::rsqrt(x32.square().mean(-1, true) + norm.eps), constant};
    along = along - along.mean(-1, true);
    return {along * at::rsqrt(x32.var(-1, false, true) + norm.eps), constant};
}

} // namespace headscope::lm
