// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/tree/productgradient.h"

#include "core/lm/tree/treemixing.h"
#include "core/lm/weights/packedweight.h"

#include <torch/csrc/autograd/custom_function.h>

namespace headscope::lm {

namespace {

struct FixedProduct : torch::autograd::Function<FixedProduct> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& weight)
    {
        context->saved_data["weight"] = weight;
        return linearOf(x.contiguous(), denseOf(weight));
    }
    static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::tensor_list& gradients)
    {
        const at::Tensor weight = denseOf(context->saved_data["weight"].toTensor());
        return {linearOf(gradients[0].contiguous(), weight.t()), at::Tensor()};
    }
};

} // namespace

at::Tensor productWithGradient(const at::Tensor& x, const at::Tensor& weight)
{
    return FixedProduct::apply(x, weight);
}

} // namespace headscope::lm
