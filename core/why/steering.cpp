// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/steering.h"

namespace headscope::why {

namespace {

Result<at::Tensor> meanStream(const lm::Model& model, const std::vector<std::vector<int>>& prompts, int layer)
{
    const lm::Edits none{.layers = {}, .layerCount = static_cast<int>(model.spec().layers.size())};
    if (prompts.empty())
        return inputError("A list of prompts is empty; expected at least one prompt in each.");
    at::Tensor sum;
    for (const std::vector<int>& ids : prompts) {
        const auto run = record(model, ids, none);
        if (!run.has_value())
            return run.error();
        const at::Tensor last = run->streams[static_cast<std::size_t>(layer)][0].select(0, run->length() - 1);
        const at::Tensor host = last.narrow(0, 0, model.spec().hidden).to(at::kCPU, at::kFloat);
        sum = sum.defined() ? sum + host : host;
    }
    return sum / static_cast<double>(prompts.size());
}

} // namespace

Result<at::Tensor> meanDifference(const lm::Model& model, const std::vector<std::vector<int>>& toward,
                                  const std::vector<std::vector<int>>& away, int layer)
{
    const auto to = meanStream(model, toward, layer), from = meanStream(model, away, layer);
    for (const auto* mean : {&to, &from})
        if (!mean->has_value())
            return mean->error();
    return *to - *from;
}

} // namespace headscope::why
