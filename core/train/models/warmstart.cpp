// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/models/warmstart.h"

#include "core/train/measurements.h"
#include "core/train/models/hybridstudent.h"
#include "core/train/models/layernames.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

namespace headscope::train {

namespace {

constexpr double kMatchScale = 0.01;           ///< of an SSM's matching terms beside the Transformer's logits
constexpr double kSlowest = -6, kFastest = -2; ///< the heads' decay biases start on a line
constexpr std::int64_t kRows = 10, kRow = 128; ///< of the text on which the Transformer is watched
constexpr std::int64_t kFirstRow = 8;          ///< rows before it have too little to look back to

at::Tensor normal(std::vector<std::int64_t> shape, double std, tasks::ToyRandom& random)
{
    at::Tensor out = at::empty(shape, at::kFloat);
    float* numbers = out.data_ptr<float>();
    for (std::int64_t i = 0; i < out.numel(); ++i)
        numbers[i] = static_cast<float>(random.normal() * std);
    return out;
}

// The Transformer as a network of this room, which has one table of tokens and scales what it reads from it.
Result<Network> asNetwork(const Teacher& teacher, const NetworkShape& like)
{
    NetworkShape shape = like;
    shape.layers.assign(like.layers.size(), 'A');
    if (const auto kinds = teacher.config.value("layer_types", nlohmann::json::array());
        kinds.size() == shape.layers.size()) {
        for (std::size_t layer = 0; layer < shape.layers.size(); ++layer)
            if (kinds.at(layer) == "sliding_attention")
                shape.layers[layer] = 'W';
        if (shape.layers.find('W') != std::string::npos)
            shape.window = teacher.config.value("sliding_window", shape.window);
    }
    tasks::ToyRandom unused(0);
    Network out(shape, unused);
    for (Parameter& parameter : out.parameters()) {
        const auto found =
            teacher.tensors.find(parameter.name == "model.embed_tokens.weight" ? "lm_head.weight" : parameter.name);
        if (found == teacher.tensors.end() || found->second.sizes() != parameter.value.sizes())
            return inputError("The model " + teacher.folder.string() + " does not fit the recipe's network: tensor '"
                              + parameter.name + "' is missing or has another shape.");
        parameter.value.detach().copy_(found->second);
    }
    const at::Tensor read = teacher.tensors.at("model.embed_tokens.weight"),
                     scaled = out.parameter("model.embed_tokens.weight") * std::sqrt(shape.hidden);
    if ((read - scaled).abs().max().item<double>() > 0.01 * scaled.abs().max().item<double>())
        return inputError("The model " + teacher.folder.string()
                          + " has different matrices for its input and output embedding.");
    return out;
}

// Mean mass of every head on the token itself and on those before it, one [H, taps] a layer.
std::vector<at::Tensor> looksBack(const Network& teacher, const std::vector<std::int32_t>& text, int taps)
{
    const std::int64_t row = std::min(kRow, static_cast<std::int64_t>(text.size()) / 2);
    const std::int64_t rows = std::min(kRows, static_cast<std::int64_t>(text.size()) / row);
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < rows; ++i) { // spread over the whole text
        const auto begin =
            text.begin() + i * ((static_cast<std::int64_t>(text.size()) - row) / std::max<std::int64_t>(1, rows - 1));
        ids.insert(ids.end(), begin, begin + row);
    }
    std::vector<at::Tensor> patterns, out;
    (void)teacher.logits(toTensor(ids, {rows, row}, teacher.device()), {.patterns = &patterns});
    for (const at::Tensor& pattern : patterns) {
        std::vector<at::Tensor> means;
        const at::Tensor seen = pattern.narrow(2, kFirstRow, row - kFirstRow).narrow(3, kFirstRow, row - kFirstRow);
        for (int back = 0; back < taps; ++back)
            means.push_back(seen.diagonal(-back, 2, 3).mean(-1).mean(0));
        out.push_back(at::stack(means, 1));
    }
    return out;
}

// Rows of keys or queries that turn slowest with the distance, as an SSM's matching terms of one head: [N, D]. The last
// stays zero: there the biases stand that make an even average.
at::Tensor matching(const at::Tensor& projection, int state, double scale, tasks::ToyRandom& random)
{
    const std::int64_t half = projection.size(0) / 2, hidden = projection.size(1);
    const std::int64_t slow = std::min<std::int64_t>((state - 1) / 2, half);
    at::Tensor out = normal({state, hidden}, 0.1 / std::sqrt(static_cast<double>(hidden)), random);
    out.narrow(0, 0, slow).copy_(projection.narrow(0, half - slow, slow) * scale);
    out.narrow(0, slow, slow).copy_(projection.narrow(0, 2 * half - slow, slow) * scale);
    out.select(0, state - 1).zero_();
    return out;
}

void startSsm(const Network& network, const Teacher& teacher, int layer, const at::Tensor& back,
              tasks::ToyRandom& random)
{
    const NetworkShape& n = network.shape();
    const std::int64_t heads = n.heads, dim = n.headDim, inner = heads * dim, match = heads * n.state;
    const std::int64_t channels = inner + 2 * match;
    const auto set = [&](const char* name, const at::Tensor& value) {
        network.parameter(layerPrefix(layer) + "mixer." + name).detach().copy_(value);
    };

    // 1. Projections.
    const double scale = std::sqrt(kMatchScale / std::sqrt(static_cast<double>(dim)));
    std::vector<at::Tensor> values, keys, queries, outputs;
    for (int head = 0; head < n.heads; ++head) {
        values.push_back(teacher.value(layer, head));
        keys.push_back(matching(teacher.key(layer, head), n.state, scale, random));
        queries.push_back(matching(teacher.query(layer, head), n.state, scale, random));
        outputs.push_back(teacher.output(layer, head));
    }
    std::vector<at::Tensor> input = values;
    input.insert(input.end(), keys.begin(), keys.end());
    input.insert(input.end(), queries.begin(), queries.end());
    input.push_back(normal({inner + heads, n.hidden}, 0.02 / std::sqrt(static_cast<double>(n.hidden)), random));
    set("in_proj.weight", at::cat(input, 0));
    set("out_proj.weight", at::cat(outputs, 1));

    // 2. The convolution looks where the heads looked; matching terms mix a little, more where keys meet values.
    at::Tensor conv = at::zeros({n.convWidth, channels});
    conv.narrow(1, 0, inner).copy_(back.t().repeat_interleave(dim, 1));
    conv[0].narrow(0, inner, 2 * match).fill_(1.0);
    const double mixing = layer < 2 ? 0.25 : 0.1;
    for (int tap = 1; tap < n.convWidth; ++tap)
        for (std::int64_t channel = inner; channel < channels; ++channel)
            conv[tap][channel] = mixing * (2.0 * random.uniform() - 1.0);
    set("conv", conv);

    // 3. What the taps leave becomes an even average over what each head's decay keeps.
    const at::Tensor decay = at::linspace(kSlowest, kFastest, heads);
    const at::Tensor fresh = 1.0 - at::softplus(decay).neg().exp(), near = back.sum(1);
    const at::Tensor even = ((1.0 - near).clamp(0.0, 1.0) * fresh).sqrt();
    at::Tensor bias = at::zeros({channels});
    bias.narrow(0, inner, 2 * match).copy_(normal({2 * match}, 0.02, random));
    bias.narrow(0, inner, match).view({heads, n.state}).select(1, n.state - 1).copy_(even);
    bias.narrow(0, inner + match, match)
        .view({heads, n.state})
        .select(1, n.state - 1)
        .copy_(even / near.clamp_min(0.1));
    set("conv_bias", bias);
    set("z_bias", at::full({inner}, kGateOpen));
    set("decay_bias", decay);
    set("D", at::ones({heads}));
}

} // namespace

Result<void> startFrom(Network& network, const std::filesystem::path& from, const std::vector<std::int32_t>& text,
                       tasks::ToyRandom& random)
{
    const c10::NoGradGuard noGradients;
    const NetworkShape& n = network.shape();
    if (!n.tied || text.size() < 2 * kRow)
        return inputError(n.tied
                              ? "The corpus is too short to start from a trained model; expected at least 256 tokens."
                              : "A network with two tables of tokens cannot start from a trained model.");
    const auto teacher = Teacher::load(from, at::kCPU, true);
    if (!teacher.has_value())
        return teacher.error();
    if (teacher->layers != static_cast<int>(n.layers.size()) || teacher->heads != n.heads || teacher->kvHeads != n.heads
        || teacher->headDim != n.headDim)
        return inputError("The model " + from.string() + " has " + std::to_string(teacher->layers) + " layers of "
                          + std::to_string(teacher->heads) + " heads of " + std::to_string(teacher->headDim)
                          + " dims; the recipe's network has other sizes.");
    const auto whole = asNetwork(*teacher, n);
    if (!whole.has_value())
        return whole.error();
    const std::vector<at::Tensor> back = looksBack(*whole, text, n.convWidth);
    for (Parameter& parameter : network.parameters())
        if (const at::Tensor trained = whole->parameter(parameter.name); trained.defined())
            parameter.value.detach().copy_(trained);
    for (std::size_t layer = 0; layer < n.layers.size(); ++layer)
        if (n.layers[layer] == 'S')
            startSsm(network, *teacher, static_cast<int>(layer), back[layer], random);
    return {};
}

} // namespace headscope::train
