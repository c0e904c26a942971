// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/generate.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace headscope::engine {

namespace {

at::Tensor choose(const at::Tensor& logits, double temperature, at::Generator& generator)
{
    if (temperature <= 0)
        return logits.argmax(-1);
    return at::multinomial(at::softmax(logits / temperature, -1).cpu(), 1, false, generator).squeeze(-1).to(logits.device());
}

} // namespace

std::vector<std::vector<int>> generate(const lm::Model& model, const at::Tensor& ids, const GenerateOptions& options, const std::stop_token& stop)
{
    const at::NoGradGuard noGrad;
    at::Generator generator = at::detail::createCPUGenerator(options.seed);
    const std::int64_t batch = ids.size(0);
    std::vector<std::vector<int>> out(static_cast<std::size_t>(batch));
    std::vector<bool> ended(static_cast<std::size_t>(batch), false);
    lm::State state;
    at::Tensor input = ids.to(model.device());
    for (int step = 0; step < options.newTokens; ++step) {
        lm::RunOptions run{.edits = options.edits, .state = &state, .stop = stop};
        run.rows = at::full({batch, 1}, input.size(1) - 1, input.options());
        const at::Tensor logits = model.logits(input, run);
        if (!logits.defined())
            break;
        const at::Tensor next = choose(logits.select(1, 0), options.temperature, generator);
        const at::Tensor host = next.cpu();
        for (std::size_t b = 0; b < out.size(); ++b) {
            const int id = static_cast<int>(host[static_cast<std::int64_t>(b)].item<std::int64_t>());
            ended[b] = ended[b] || std::find(options.stopIds.begin(), options.stopIds.end(), id) != options.stopIds.end();
            if (!ended[b])
                out[b].push_back(id);
        }
        const bool goOn = !options.onToken || ended.front() || options.onToken(out.front().back());
        if (!goOn || std::find(ended.begin(), ended.end(), false) == ended.end())
            break;
        input = next.unsqueeze(1);
    }
    return out;
}

} // namespace headscope::engine
