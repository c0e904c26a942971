// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/weights/packedgradient.h"

#include "core/lm/weights/packedweight.h"

#include <torch/csrc/autograd/custom_function.h>

namespace headscope::lm {

namespace {

struct PackedProduct : torch::autograd::Function<PackedProduct> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& weight)
    {
        context->saved_data["weight"] = weight;
        return at::matmul(x, denseOf(weight).t());
    }
    static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::tensor_list& gradients)
    {
        return {at::matmul(gradients[0], denseOf(context->saved_data["weight"].toTensor())), at::Tensor()};
    }
};

} // namespace

at::Tensor packedProductWithGradient(const at::Tensor& x, const at::Tensor& weight)
{
    return PackedProduct::apply(x, weight);
}

} // namespace headscope::lm
