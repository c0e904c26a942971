// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/measurements.h"

#include "core/train/printedtext.h"

#include <c10/core/GradMode.h>

#include <algorithm>

namespace headscope::train {

namespace {

namespace toy = tasks::toy;

constexpr int kChunk = 64; ///< texts a forward pass: larger ones leave the processor's cache

// Share of texts whose first scored token is the greedy one.
double accuracy(const Network& network, const std::vector<at::Tensor>& scales, const toy::Batch& batch, int lastRowOff)
{
    const std::int64_t row = batch.rows.front();
    const at::Tensor ids = toTensor(batch.ids, {batch.count, batch.length}, network.device());
    std::int64_t right = 0;
    for (std::int64_t begin = 0; begin < batch.count; begin += kChunk) {
        const at::Tensor part = ids.narrow(0, begin, std::min<std::int64_t>(kChunk, batch.count - begin));
        const at::Tensor logits =
            network.logits(part.narrow(1, 0, row + 1), {toTensor({row}, {1}, network.device()), scales, lastRowOff});
        right += logits.select(1, 0).argmax(-1).eq(part.select(1, row + 1)).sum().item<std::int64_t>();
    }
    return static_cast<double>(right) / batch.count;
}

double loss(const Network& network, const std::vector<at::Tensor>& scales, const toy::Batch& batch)
{
    const at::Tensor ids = toTensor(batch.ids, {batch.count, batch.length}, network.device());
    const at::Tensor rows = toTensor(batch.rows, {static_cast<std::int64_t>(batch.rows.size())}, network.device());
    const at::Tensor logits = network.logits(ids, {rows, scales});
    return at::cross_entropy_loss(logits.flatten(0, 1), ids.index_select(1, rows + 1).flatten()).item<double>();
}

// The largest of the mean masses that rows `rows` put `back` = 1 .. `farthest` tokens back, one number a head.
at::Tensor massBack(const at::Tensor& pattern, const at::Tensor& rows, int farthest)
{
    const at::Tensor picked = pattern.index_select(2, rows); // [B, H, r, T]
    at::Tensor best = at::zeros({pattern.size(1)}, pattern.options());
    for (int back = 1; back <= farthest; ++back) {
        const at::Tensor columns =
            (rows - back).view({1, 1, -1, 1}).expand({picked.size(0), picked.size(1), rows.size(0), 1});
        best = at::maximum(best, picked.gather(3, columns).mean(at::IntArrayRef{0, 2, 3}));
    }
    return best;
}

} // namespace

std::string toString(HeadId head)
{
    return "L" + std::to_string(head.layer) + "H" + std::to_string(head.head);
}

at::Tensor toTensor(const std::vector<std::int64_t>& values, std::vector<std::int64_t> shape, at::Device device)
{
    return at::from_blob(const_cast<std::int64_t*>(values.data()), shape, at::kLong).clone().to(device);
}

HeadScales fullScales(const Network& network)
{
    return HeadScales(static_cast<std::size_t>(network.layerCount()),
                      std::vector<float>(static_cast<std::size_t>(network.shape().heads), 1.0F));
}

std::vector<at::Tensor> toTensors(const HeadScales& scales, at::Device device)
{
    std::vector<at::Tensor> tensors;
    for (const std::vector<float>& layer : scales)
        tensors.push_back(
            at::from_blob(const_cast<float*>(layer.data()), {static_cast<std::int64_t>(layer.size())}, at::kFloat)
                .clone()
                .to(device));
    return tensors;
}

Scores evaluate(const Network& network, const HeadScales& scales, int prompts, int lastRowOff)
{
    const c10::NoGradGuard noGradients;
    const std::vector<at::Tensor> factors = toTensors(scales, network.device());
    const auto score = [&](const char* task, int limit) {
        return accuracy(network, factors, tasks::toyBatch(task, {.limit = limit}).value(), lastRowOff);
    };
    return {.kv4 = score("toy_kv:pairs=4", prompts),
            .kv8 = score("toy_kv:pairs=8", prompts),
            .kv16 = score("toy_kv:pairs=16", prompts),
            .mc = score("toy_mc", prompts),
            .knowledge = score("toy_knowledge", 0)};
}

std::vector<HeadBehaviour> behaviours(const Network& network, int prompts, std::uint64_t seed)
{
    const c10::NoGradGuard noGradients;
    const toy::Batch batch = tasks::toyBatch("toy_kv:pairs=8", {.limit = prompts, .seed = seed}).value();
    const std::int64_t length = batch.rows.front() + 1;
    const at::Tensor ids = toTensor(batch.ids, {batch.count, batch.length}, network.device()).narrow(1, 0, length);
    std::vector<at::Tensor> patterns;
    const at::Tensor unused = network.logits(ids, {.patterns = &patterns});
    const at::Tensor values =
        toTensor(batch.sourcePositions, {static_cast<std::int64_t>(batch.sourcePositions.size())}, network.device());
    std::vector<std::int64_t> asked(batch.asked.begin(), batch.asked.end());
    const at::Tensor target = values.index_select(0, toTensor(asked, {batch.count}, network.device()));

    std::vector<HeadBehaviour> all;
    for (int layer = 0; layer < network.layerCount(); ++layer) {
        const at::Tensor& pattern = patterns[layer];
        const at::Tensor last = pattern.select(2, length - 1); // [B, H, T]
        const at::Tensor column = target.view({-1, 1, 1}).expand({last.size(0), last.size(1), 1});
        const at::Tensor mass = last.gather(2, column).mean(at::IntArrayRef{0, 2});
        const at::Tensor hit = last.argmax(-1).eq(target.unsqueeze(1)).to(at::kFloat).mean(0);
        const at::Tensor entropy = -(last * (last + 1e-30).log()).sum(-1).mean(0);
        const at::Tensor key = massBack(pattern, values, 3), colon = massBack(pattern, values - 1, 2);
        for (int head = 0; head < network.shape().heads; ++head)
            all.push_back({{layer, head},
                           mass[head].item<double>(),
                           hit[head].item<double>(),
                           entropy[head].item<double>(),
                           key[head].item<double>(),
                           colon[head].item<double>()});
    }
    return all;
}

std::vector<double> removalCosts(const Network& network, const HeadScales& scales, const std::vector<HeadId>& heads,
                                 tasks::ToyRandom& random)
{
    const c10::NoGradGuard noGradients;
    const std::vector<toy::Batch> batches = {toy::kvTexts(random, 64, {.pairs = 16, .queries = 2}),
                                             toy::mcTexts(random, 128, {}), toy::completionTexts(random, 128, {})};
    const auto total = [&](const HeadScales& used) {
        const std::vector<at::Tensor> factors = toTensors(used, network.device());
        double sum = 0;
        for (const toy::Batch& batch : batches)
            sum += loss(network, factors, batch);
        return sum;
    };
    const double before = total(scales);
    std::vector<double> costs;
    for (const HeadId& head : heads) {
        HeadScales without = scales;
        without[head.layer][head.head] = 0.0F;
        costs.push_back(total(without) - before);
    }
    return costs;
}

} // namespace headscope::train
