// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/lenses/tokenlogprobs.h"

#include <algorithm>
#include <cmath>

namespace headscope::why {

namespace {

constexpr std::int64_t kAtOnce = 64; // positions whose logits are there together: a vocabulary is large

// `values`: of the tokens behind these positions.
void read(const at::Tensor& logits, const std::vector<int>& ids, std::int64_t first, int likely,
          std::vector<TokenLogProb>& values)
{
    const at::Tensor all = at::log_softmax(logits.to(at::kFloat), -1).to(at::kCPU);
    const auto [best, tokens] = all.topk(std::min<std::int64_t>(likely, all.size(-1)), -1);
    for (std::int64_t row = 0; row < all.size(0); ++row) {
        const auto at = static_cast<std::size_t>(first + row + 1);
        values[at].value = all[row][ids[at]].item<double>();
        for (std::int64_t i = 0; i < best.size(-1); ++i)
            values[at].likely.push_back(
                {static_cast<int>(tokens[row][i].item<std::int64_t>()), std::exp(best[row][i].item<float>())});
    }
}

} // namespace

Result<std::vector<TokenLogProb>> tokenLogProbs(const lm::Model& model, const std::vector<int>& ids,
                                                const lm::Edits& edits, int likely, const Control& control)
{
    const auto run = record(model, ids, edits, {control.stop, {}});
    if (!run.has_value())
        return run.error();
    std::vector<TokenLogProb> values(ids.size());
    const int last = static_cast<int>(run->streams.size()) - 1;
    for (std::int64_t first = 0; first + 1 < run->length(); first += kAtOnce) {
        if (control.stopped())
            return cancelledError();
        const std::int64_t count = std::min(kAtOnce, run->length() - 1 - first);
        read(lensLogits(model, *run, last, first, count), ids, first, likely, values);
    }
    return values;
}

} // namespace headscope::why
