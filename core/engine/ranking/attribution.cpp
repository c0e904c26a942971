// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ranking/attribution.h"

#include "core/engine/ranking/marginbatch.h"
#include "core/engine/replacements.h"
#include "core/engine/treerun.h"
#include "core/lm/device/forecast.h"
#include "core/lm/device/memorymeter.h"
#include "core/lm/device/transfer.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <utility>

namespace headscope::engine {

using interventions::InterventionSet;

namespace {

std::int64_t batchTokens(const lm::Model& model)
{
    return model.spec().hidden <= 256 ? 8192 : model.spec().hidden <= 1024 ? 4096 : 1024;
}

/// Roughly what the graphs of all layers keep of one position: some thirty vectors of the stream's width, and Mamba-1's
/// states at every position.
std::int64_t graphBytes(const lm::ModelSpec& spec)
{
    std::int64_t floats = 0;
    for (const lm::LayerSpec& layer : spec.layers) {
        floats += 30 * static_cast<std::int64_t>(spec.hidden);
        for (const lm::MixerSpec& mixer : layer.mixers)
            if (mixer.kind == lm::MixerKind::Mamba1)
                floats += 12 * static_cast<std::int64_t>(mixer.heads) * mixer.state;
    }
    return floats * static_cast<std::int64_t>(sizeof(float));
}

/// Where one mixer's heads stand in the list of all heads.
struct Place {
    lm::Site site = lm::Site::Any;
    int heads = 0;
    std::size_t first = 0;
};

/// The backward pass of one batch, a layer at a time.
class Backward
{
public:
    Backward(const lm::Model& model, const lm::Edits& edits, const at::Tensor& ids, const lm::DeviceTree* tree,
             const MarginReading& reading, const std::stop_token& stop)
        : m_model(model), m_edits(edits), m_reading(reading), m_tree(tree), m_stop(stop),
          m_embedding(model.embed(ids, {.tree = tree}))
    {
    }

    /// Adds d margin / d gate of the examples, [E, heads] on the host, for every head, where all gates stand at
    /// `opened`; the heads of layers that are left out stay 0. `budget`: bytes of graphs. False when stopped.
    bool run(const std::vector<std::vector<Place>>& places, double opened, std::int64_t budget, at::Tensor& gradients)
    {
        std::vector<std::vector<at::Tensor>> gates;
        lm::Edits gated = m_edits;
        for (int layer = 0; layer < m_edits.layerCount; ++layer) {
            const lm::LayerEdits* edits = m_edits.find(layer);
            gates.emplace_back();
            if (!edits || !edits->skip)
                gates.back() = addGates(gated.layers[layer], places[static_cast<std::size_t>(layer)], opened);
        }
        // 1. Forward. Where memory allows it each layer's graph is kept, else only what the layer reads.
        const bool keep = m_embedding.size(0) * m_embedding.size(1) * graphBytes(m_model.spec()) <= budget;
        std::vector<at::Tensor> inputs, outputs;
        at::Tensor stream = m_embedding;
        for (int layer = 0; layer < m_edits.layerCount; ++layer) {
            const at::AutoGradMode withGraph(keep);
            inputs.push_back(keep ? stream.detach().requires_grad_(true) : stream);
            outputs.push_back(step(inputs.back(), layer, gated));
            if (!outputs.back().defined())
                return false;
            stream = outputs.back().detach();
            if (!keep)
                outputs.back().reset();
        }
        if (m_edits.layerCount == 0)
            stream = lm::gatherRows(stream, m_reading.rows);
        // 2. The margin's gradient at the last stream, then back through one layer after the other.
        at::Tensor gradient = atTheEnd(stream);
        for (int layer = m_edits.layerCount - 1; layer >= 0; --layer) {
            const auto l = static_cast<std::size_t>(layer);
            if (m_stop.stop_requested())
                return false;
            const at::AutoGradMode withGraph(true);
            if (!keep) {
                inputs[l] = inputs[l].detach().requires_grad_(true);
                outputs[l] = step(inputs[l], layer, gated);
                if (!outputs[l].defined())
                    return false;
            }
            outputs[l].backward(gradient);
            gradient = inputs[l].grad();
            for (std::size_t i = 0; i < gates[l].size(); ++i)
                if (gates[l][i].grad().defined())
                    gradients.narrow(1, static_cast<std::int64_t>(places[l][i].first), places[l][i].heads)
                        .add_(m_reading.share.matmul(gates[l][i].grad().view({-1, places[l][i].heads})).cpu());
            inputs[l].reset();
            outputs[l].reset();
        }
        return true;
    }

private:
    at::Tensor step(const at::Tensor& stream, int layer, const lm::Edits& edits) const
    {
        lm::RunOptions options{.edits = &edits, .lastPositions = m_reading.last, .tree = m_tree, .stop = m_stop};
        if (layer + 1 == m_edits.layerCount)
            options.rows = m_reading.rows;
        return m_model.runLayers(stream, layer, layer + 1, m_embedding, options);
    }

    at::Tensor atTheEnd(const at::Tensor& stream) const
    {
        const at::AutoGradMode withGraph(true);
        const at::Tensor input = stream.detach().requires_grad_(true);
        margins(m_model.unembed(input), m_reading).sum().backward();
        return input.grad();
    }

    // One gate a text (or packed position) and head, so that every example gets its own gradient.
    std::vector<at::Tensor> addGates(lm::LayerEdits& edits, const std::vector<Place>& places, double opened) const
    {
        std::vector<at::Tensor> gates;
        for (const Place& place : places) {
            const at::AutoGradMode withGraph(true);
            std::vector<std::int64_t> shape{m_embedding.size(0), place.heads};
            if (m_tree)
                shape.insert(shape.begin() + 1, m_embedding.size(1));
            gates.push_back(
                at::full(shape, opened, at::TensorOptions(at::kFloat).device(m_model.device())).requires_grad_(true));
            at::Tensor& scale = edits.site(place.site).scale;
            scale = scale.defined() ? gates.back() * lm::onDevice(scale, m_model.device()) : gates.back();
        }
        return gates;
    }

    const lm::Model& m_model;
    const lm::Edits& m_edits;
    const MarginReading& m_reading;
    const lm::DeviceTree* m_tree; ///< null: padded texts
    std::stop_token m_stop;
    at::Tensor m_embedding;
};

std::vector<std::vector<Place>> placesOf(const lm::ModelSpec& spec)
{
    std::vector<std::vector<Place>> places;
    std::size_t first = 0;
    for (const lm::LayerSpec& layer : spec.layers) {
        places.emplace_back();
        for (const lm::MixerSpec& mixer : layer.mixers) {
            places.back().push_back({mixer.site(), mixer.heads, first});
            first += static_cast<std::size_t>(mixer.heads);
        }
    }
    return places;
}

/// Mean and spread of the examples' gradients, head by head.
struct Sums {
    explicit Sums(std::int64_t heads)
        : halves{at::zeros({heads}, at::kDouble), at::zeros({heads}, at::kDouble)},
          squares(at::zeros({heads}, at::kDouble))
    {
    }
    std::array<at::Tensor, 2> halves; ///< [heads] each: sums of every second example
    at::Tensor squares;
    std::int64_t n = 0;

    // gradients: [E, heads]
    void add(const at::Tensor& gradients)
    {
        const at::Tensor wide = gradients.to(at::kDouble);
        for (std::int64_t e = 0; e < wide.size(0); ++e) {
            const at::Tensor one = wide[e];
            if (!at::isfinite(one).all().item<bool>())
                continue; // a row whose numbers broke is left out, as it is everywhere else
            halves[static_cast<std::size_t>(n % 2)] += one;
            squares += one * one;
            ++n;
        }
    }

    [[nodiscard]] std::optional<double> agreement() const
    {
        const auto values = [](const at::Tensor& x) {
            return std::span<const double>(x.data_ptr<double>(), static_cast<std::size_t>(x.numel()));
        };
        const auto found = analysis::spearman(values(halves[0]), values(halves[1]));
        return found.has_value() && found->rho > -1 ? std::optional(2 * found->rho / (1 + found->rho)) : std::nullopt;
    }
};

std::vector<RankedHead> ranked(const lm::ModelSpec& spec, const Sums& sums)
{
    const auto n = static_cast<double>(sums.n);
    std::vector<RankedHead> heads;
    std::int64_t index = 0;
    for (const interventions::HeadRef& head : allHeads(spec)) {
        const double mean = -(sums.halves[0][index].item<double>() + sums.halves[1][index].item<double>())
                            / n; // removing moves the gate from 1 to 0
        const double variance =
            sums.n > 1 ? std::max(sums.squares[index].item<double>() - n * mean * mean, 0.0) / (n - 1) : 0;
        const double wide = 1.96 * std::sqrt(variance / n);
        heads.push_back({.head = head,
                         .value = mean,
                         .interval = {mean - wide, mean + wide},
                         .margin = mean,
                         .n = static_cast<int>(sums.n),
                         .estimate = true});
        ++index;
    }
    std::stable_sort(heads.begin(), heads.end(),
                     [](const RankedHead& a, const RankedHead& b) { return a.margin < b.margin; });
    return heads;
}

std::int64_t positionsOf(const Benchmark& benchmark, int example)
{
    std::int64_t positions = 0;
    for (const Sequence& sequence : benchmark.workload().examples()[static_cast<std::size_t>(example)].sequences)
        positions += static_cast<std::int64_t>(sequence.ids.size());
    return positions;
}

std::int64_t positionsOf(const Workload::Batch& batch)
{
    return batch.tree ? batch.tree->rows() : static_cast<std::int64_t>(batch.members.size()) * batch.length;
}

/// How much is run at one time.
struct Room {
    std::int64_t positions = 0;
    std::int64_t graphBytes = 0; ///< see EstimateOptions
    double bytesEach = 0;        ///< that a position takes; 0: not known
};

// From what an example of so many positions costs alone, a layer's graph at a time (0) and with those of all layers,
// which take at most as often as much. n times the positions take at most n times the memory.
Result<Room> roomIn(std::int64_t memory, std::int64_t positions, std::int64_t layers, Room most,
                    const std::function<std::int64_t(std::int64_t)>& cost)
{
    constexpr std::int64_t kEnough = 1024; // positions from which larger batches gain little
    constexpr double kPadding = 1.07; // texts beside each other are padded, one alone is not: up to 1.14 was measured
    const std::int64_t layerwise = cost(0);
    if (layerwise > memory)
        return Error{Error::Kind::Memory,
                     "An example of " + std::to_string(positions) + " tokens, estimated a layer at a time, takes "
                         + lm::sizeText(layerwise) + " beside the weights; there is room for " + lm::sizeText(memory)
                         + ".",
                     {}};
    const auto roomFor = [&](std::int64_t bytes, std::int64_t graphBytes) {
        const double each = kPadding * static_cast<double>(bytes) / static_cast<double>(positions),
                     fit = static_cast<double>(memory) / each;
        return Room{fit < static_cast<double>(most.positions) ? std::max(positions, static_cast<std::int64_t>(fit))
                                                              : most.positions,
                    graphBytes, each};
    };
    if (layers * layerwise <= memory)
        if (const Room whole = roomFor(cost(most.graphBytes), most.graphBytes); whole.positions >= kEnough)
            return whole;
    return roomFor(layerwise, 0);
}

/// The batches of one estimate, and the gradients of each.
class Estimation
{
public:
    /// All but `options.memory` is heeded. What it is given outlives it.
    [[nodiscard]] static Result<Estimation> begin(const Benchmark& benchmark, const lm::Model& model,
                                                  const InterventionSet& fixed, const lm::DonorLoader& donors,
                                                  const std::stop_token& stop, const EstimateOptions& options)
    {
        auto edits = lm::resolve(fixed, model.spec(), donors);
        if (!edits.has_value())
            return edits.error();
        for (const auto& [layer, edit] : edits->layers)
            if (edit.donor)
                return inputError("An estimate can not see into layer L" + std::to_string(layer)
                                  + ", which is another model's; rank with --method exact.");
        std::vector<int> examples = examplesWithMargin(benchmark, options.seed);
        if (examples.empty())
            return inputError(
                "The rows of '" + benchmark.set().name
                + "' have no choices to tell apart, so heads can not be estimated on it; rank with --method exact.");
        return Estimation(benchmark, model, std::move(*edits), std::move(examples), stop, options);
    }

    [[nodiscard]] std::int64_t heads() const { return m_heads; }
    [[nodiscard]] std::size_t examples() const { return m_examples.size(); }

    /// d margin / d gate, [E, heads] on the host; undefined when stopped.
    [[nodiscard]] at::Tensor gradientsOf(const Workload::Batch& batch, std::int64_t graphBytes)
    {
        std::vector<const Sequence*> sequences;
        for (const Workload::Member& member : batch.members)
            sequences.push_back(&m_benchmark.workload().sequence(member));
        std::optional<lm::DeviceTree> tree;
        if (batch.tree)
            tree.emplace(batch.tree, m_model.device());
        const at::Tensor ids = tree ? tree->ids() : paddedIds(sequences, batch.length, m_model.device());
        const MarginReading reading = marginReading(m_benchmark, batch, m_model.device());
        const lm::Edits filled = Replacements::needed(m_edits) ? m_replacements->fill(m_edits, batch) : m_edits;
        at::Tensor gradients = at::zeros({reading.gold.size(0), m_heads});
        Backward backward(m_model, filled, ids, tree ? &*tree : nullptr, reading, m_stop);
        for (int step = 0; step < m_options.steps; ++step) {
            const double opened = m_options.steps == 1 ? 1.0 : (step + 0.5) / m_options.steps;
            if (m_stop.stop_requested() || !backward.run(m_places, opened, graphBytes, gradients))
                return {};
        }
        return gradients / m_options.steps;
    }

    /// Where the round that begins with example `taken` ends.
    [[nodiscard]] std::size_t roundBehind(std::size_t taken) const
    {
        return std::min(taken == 0 ? static_cast<std::size_t>(std::max(m_options.firstExamples, 1)) : 2 * taken,
                        m_examples.size());
    }
    [[nodiscard]] std::vector<Workload::Batch> batchesOf(std::size_t taken, std::int64_t positions) const
    {
        return wholeExamples(m_benchmark, std::span(m_examples).subspan(taken, roundBehind(taken) - taken), positions,
                             sharesRows(m_edits));
    }
    /// Positions of all batches together, and of the largest.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> positionsIn(std::int64_t batchPositions) const
    {
        std::int64_t all = 0, largest = 0;
        for (std::size_t taken = 0; taken < m_examples.size(); taken = roundBehind(taken))
            for (const Workload::Batch& batch : batchesOf(taken, batchPositions)) {
                all += positionsOf(batch);
                largest = std::max(largest, positionsOf(batch));
            }
        return {all, largest};
    }

    [[nodiscard]] Workload::Batch longestAlone(std::int64_t positions) const
    {
        const auto longest = *std::ranges::max_element(
            m_examples, {}, [this](int example) { return engine::positionsOf(m_benchmark, example); });
        return wholeExamples(m_benchmark, std::span(&longest, 1), positions, sharesRows(m_edits)).front();
    }
    /// Bytes that a batch takes, by running it.
    [[nodiscard]] std::int64_t bytesOf(const Workload::Batch& batch, std::int64_t graphBytes)
    {
        const lm::MemoryMeter meter(m_model.device());
        static_cast<void>(gradientsOf(batch, graphBytes));
        return std::max<std::int64_t>(meter.peak(), 1);
    }

private:
    Estimation(const Benchmark& benchmark, const lm::Model& model, lm::Edits edits, std::vector<int> examples,
               const std::stop_token& stop, const EstimateOptions& options)
        : m_benchmark(benchmark), m_model(model), m_edits(std::move(edits)), m_examples(std::move(examples)),
          m_stop(stop), m_options(options),
          m_replacements(std::make_unique<Replacements>(model, benchmark.workload(), stop)),
          m_places(placesOf(model.spec())), m_heads(static_cast<std::int64_t>(allHeads(model.spec()).size()))
    {
    }

    const Benchmark& m_benchmark;
    const lm::Model& m_model;
    lm::Edits m_edits;
    std::vector<int> m_examples;
    std::stop_token m_stop;
    EstimateOptions m_options;
    std::unique_ptr<Replacements> m_replacements;
    std::vector<std::vector<Place>> m_places;
    std::int64_t m_heads;
};

} // namespace

Result<Estimate> estimateRemovals(const Benchmark& benchmark, const lm::Model& model, const InterventionSet& fixed,
                                  const lm::DonorLoader& donors, const Control& control, const EstimateOptions& options)
{
    const c10::InferenceMode allowGraphs(false);
    const at::NoGradGuard noGrad; // switched on layer by layer
    auto estimation = Estimation::begin(benchmark, model, fixed, donors, control.stop, options);
    if (!estimation.has_value())
        return estimation.error();
    Room room{batchTokens(model), options.graphBytes, 0};
    std::optional<std::int64_t> forecast;
    if (options.memory > 0) {
        const Workload::Batch alone = estimation->longestAlone(room.positions);
        auto fits = roomIn(options.memory, positionsOf(alone), static_cast<std::int64_t>(model.spec().layers.size()),
                           room, [&](std::int64_t graphBytes) { return estimation->bytesOf(alone, graphBytes); });
        if (!fits.has_value())
            return fits.error();
        room = *fits;
        const std::int64_t largest = estimation->positionsIn(room.positions).second;
        forecast =
            static_cast<std::int64_t>(static_cast<double>(std::max(largest, positionsOf(alone))) * room.bytesEach);
    }
    Sums sums(estimation->heads());
    std::size_t taken = 0;
    std::optional<double> agreement;
    const auto enough = [&] { return options.agreement < 1 && agreement && *agreement >= options.agreement; };
    while (taken < estimation->examples() && !enough()) {
        for (const Workload::Batch& batch : estimation->batchesOf(taken, room.positions)) {
            const at::Tensor gradients = estimation->gradientsOf(batch, room.graphBytes);
            if (!gradients.defined())
                return cancelledError();
            sums.add(gradients);
            control.progress("estimating all heads", sums.n, static_cast<std::int64_t>(estimation->examples()));
        }
        taken = estimation->roundBehind(taken);
        agreement = sums.agreement();
    }
    if (sums.n == 0)
        return inputError("No row of '" + benchmark.set().name
                          + "' could be scored, so heads can not be estimated by it.");
    return Estimate{ranked(model.spec(), sums), agreement, forecast};
}

Result<EstimateCost> forecastEstimate(const Benchmark& benchmark, const lm::Model& model, const Control& control,
                                      EstimateOptions options)
{
    const c10::InferenceMode allowGraphs(false);
    const at::NoGradGuard noGrad;
    const int steps = std::exchange(options.steps, 1);
    auto estimation = Estimation::begin(benchmark, model, {}, {}, control.stop, options);
    if (!estimation.has_value())
        return estimation.error();
    const Workload::Batch alone = estimation->longestAlone(batchTokens(model));
    const auto begin = std::chrono::steady_clock::now();
    // Larger batches are run a layer at a time where all of their graphs are too large together.
    const auto [all, largest] = estimation->positionsIn(batchTokens(model));
    const bool whole = graphBytes(model.spec()) * largest <= options.graphBytes;
    const std::int64_t bytes = estimation->bytesOf(alone, whole ? options.graphBytes : 0);
    if (control.stopped())
        return cancelledError();
    const double each = 1.0 / static_cast<double>(std::max<std::int64_t>(positionsOf(alone), 1));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    return EstimateCost{
        .seconds = seconds.count() * each * static_cast<double>(all) * steps,
        .bytes = static_cast<std::int64_t>(static_cast<double>(bytes) * each * static_cast<double>(largest))};
}

} // namespace headscope::engine
