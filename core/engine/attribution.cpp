// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/attribution.h"

#include "core/base/shuffle.h"
#include "core/engine/margin.h"
#include "core/engine/replacements.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace headscope::engine {

using interventions::InterventionSet;

namespace {

constexpr double kAbsent = -1e30; // a choice that is not there, finite so that no gradient becomes NaN

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

std::int64_t longest(const EncodedExample& example)
{
    std::int64_t length = 0;
    for (const Sequence& sequence : example.sequences)
        length = std::max(length, static_cast<std::int64_t>(sequence.ids.size()));
    return length;
}

/// The examples that have a margin, in the order in which they are taken.
std::vector<int> examplesWithMargin(const Benchmark& benchmark, std::uint64_t seed)
{
    const auto& encoded = benchmark.workload().examples();
    std::vector<int> order;
    for (std::size_t i = 0; i < encoded.size(); ++i) {
        const int choices = encoded[i].choices, gold = benchmark.set().examples[i].gold;
        if (longest(encoded[i]) > 0 && (choices == 1 || (gold >= 0 && gold < choices)))
            order.push_back(static_cast<int>(i));
    }
    shuffle(order, seed);
    return order;
}

/// Whole examples of like length, since a margin needs all choices of its example.
std::vector<Workload::Batch> wholeExamples(const Benchmark& benchmark, std::span<const int> examples, std::int64_t budget)
{
    const auto& encoded = benchmark.workload().examples();
    std::vector<std::pair<std::int64_t, int>> order; // longest sequence, example
    for (const int example : examples)
        order.emplace_back(longest(encoded[static_cast<std::size_t>(example)]), example);
    std::sort(order.begin(), order.end());
    std::vector<Workload::Batch> batches;
    for (const auto& [length, example] : order) {
        const auto sequences = static_cast<std::int64_t>(encoded[static_cast<std::size_t>(example)].sequences.size());
        if (batches.empty() || length * (static_cast<std::int64_t>(batches.back().members.size()) + sequences) > budget)
            batches.emplace_back();
        for (int s = 0; s < sequences; ++s)
            batches.back().members.push_back({example, s});
        batches.back().length = length;
    }
    return batches;
}

/// Where the choices' tokens are read off, as index tensors on the model's device.
struct Reading {
    at::Tensor rows;    ///< [B, R]: positions at which logits are wanted
    at::Tensor last;    ///< [B]
    at::Tensor places;  ///< [targets]: index into [B * R]
    at::Tensor tokens;  ///< [targets]
    at::Tensor choices; ///< [targets]: which choice of the batch a target belongs to
    at::Tensor gold;    ///< [E]: the right choice of each example, counted through the batch
    at::Tensor others;  ///< [E, C]: its other choices; `choiceCount` is a likelihood of 1, one more an absent one
    std::int64_t choiceCount = 0;
    std::vector<int> firstMember; ///< [E + 1]: members of each example
};

Reading readingOf(const Benchmark& benchmark, const Workload::Batch& batch, const at::Device& device)
{
    Reading reading;
    const Workload& workload = benchmark.workload();
    std::vector<std::vector<std::int64_t>> rows(batch.members.size());
    std::size_t most = 1;
    for (std::size_t b = 0; b < batch.members.size(); ++b) {
        for (const Sequence::Target& target : workload.sequence(batch.members[b]).targets)
            rows[b].push_back(target.position);
        std::sort(rows[b].begin(), rows[b].end());
        rows[b].erase(std::unique(rows[b].begin(), rows[b].end()), rows[b].end());
        most = std::max(most, rows[b].size());
    }
    std::vector<std::int64_t> flatRows, last, places, tokens, choices, gold;
    std::vector<std::vector<std::int64_t>> others;
    std::int64_t firstChoice = 0;
    for (std::size_t b = 0; b < batch.members.size(); ++b) {
        const auto example = static_cast<std::size_t>(batch.members[b].example);
        if (batch.members[b].sequence == 0) {
            firstChoice = reading.choiceCount;
            reading.choiceCount += workload.examples()[example].choices;
            reading.firstMember.push_back(static_cast<int>(b));
            const std::int64_t right = workload.examples()[example].choices == 1 ? 0 : benchmark.set().examples[example].gold;
            gold.push_back(firstChoice + right);
            others.emplace_back();
            for (std::int64_t c = firstChoice; c < reading.choiceCount; ++c)
                if (c != gold.back())
                    others.back().push_back(c);
        }
        const Sequence& sequence = workload.sequence(batch.members[b]);
        for (std::size_t r = 0; r < most; ++r)
            flatRows.push_back(rows[b][std::min(r, rows[b].size() - 1)]);
        last.push_back(static_cast<std::int64_t>(sequence.ids.size()) - 1);
        for (const Sequence::Target& target : sequence.targets) {
            const auto row = std::lower_bound(rows[b].begin(), rows[b].end(), target.position) - rows[b].begin();
            places.push_back(static_cast<std::int64_t>(b * most) + row);
            tokens.push_back(target.token);
            choices.push_back(firstChoice + target.choice);
        }
    }
    reading.firstMember.push_back(static_cast<int>(batch.members.size()));
    std::size_t width = 1;
    for (const auto& list : others)
        width = std::max(width, list.size());
    std::vector<std::int64_t> flatOthers;
    for (auto& list : others) {
        if (list.empty())
            list.push_back(reading.choiceCount);
        list.resize(width, reading.choiceCount + 1);
        flatOthers.insert(flatOthers.end(), list.begin(), list.end());
    }
    const auto tensor = [&](const std::vector<std::int64_t>& values) { return at::tensor(values, at::kLong).to(device); };
    reading.rows = tensor(flatRows).view({static_cast<std::int64_t>(batch.members.size()), static_cast<std::int64_t>(most)});
    reading.last = tensor(last);
    reading.places = tensor(places);
    reading.tokens = tensor(tokens);
    reading.choices = tensor(choices);
    reading.gold = tensor(gold);
    reading.others = tensor(flatOthers).view({static_cast<std::int64_t>(others.size()), static_cast<std::int64_t>(width)});
    return reading;
}

// logits: [B, R, V] fp32. Returns the margins, [E].
at::Tensor margins(const at::Tensor& logits, const Reading& reading)
{
    const at::Tensor rows = logits.reshape({-1, logits.size(2)}).index_select(0, reading.places); // [targets, V]
    const at::Tensor values = rows.gather(1, reading.tokens.unsqueeze(1)).squeeze(1) - rows.logsumexp(-1);
    const at::Tensor likelihoods = at::zeros({reading.choiceCount}, values.options()).index_add(0, reading.choices, values);
    const at::Tensor known = at::cat({likelihoods, at::tensor({0.0, kAbsent}, values.options())});
    return known.index_select(0, reading.gold) - known.index_select(0, reading.others.reshape(-1)).view(reading.others.sizes()).logsumexp(1);
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
    Backward(const lm::Model& model, const lm::Edits& edits, const at::Tensor& ids, const Reading& reading, const std::stop_token& stop)
        : m_model(model), m_edits(edits), m_reading(reading), m_stop(stop), m_samples(ids.size(0)), m_embedding(model.embed(ids, {}))
    {
    }

    /// Adds d margin / d gate, [B, heads] on the host, for every head, where all gates stand at `opened`; the heads of
    /// layers that are left out stay 0. `budget`: bytes of graphs. False when stopped.
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
        const bool keep = m_samples * m_embedding.size(1) * graphBytes(m_model.spec()) <= budget;
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
                    gradients.narrow(1, static_cast<std::int64_t>(places[l][i].first), places[l][i].heads).add_(gates[l][i].grad().cpu());
            inputs[l].reset();
            outputs[l].reset();
        }
        return true;
    }

private:
    at::Tensor step(const at::Tensor& stream, int layer, const lm::Edits& edits) const
    {
        lm::RunOptions options{.edits = &edits, .lastPositions = m_reading.last, .stop = m_stop};
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

    // One gate a sample and head, so that every example gets its own gradient.
    std::vector<at::Tensor> addGates(lm::LayerEdits& edits, const std::vector<Place>& places, double opened) const
    {
        std::vector<at::Tensor> gates;
        for (const Place& place : places) {
            const at::AutoGradMode withGraph(true);
            gates.push_back(at::full({m_samples, place.heads}, opened, at::TensorOptions(at::kFloat).device(m_model.device())).requires_grad_(true));
            at::Tensor& scale = edits.site(place.site).scale;
            scale = scale.defined() ? gates.back() * scale : gates.back();
        }
        return gates;
    }

    const lm::Model& m_model;
    const lm::Edits& m_edits;
    const Reading& m_reading;
    std::stop_token m_stop;
    std::int64_t m_samples;
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
    explicit Sums(std::int64_t heads) : halves{at::zeros({heads}, at::kDouble), at::zeros({heads}, at::kDouble)}, squares(at::zeros({heads}, at::kDouble)) {}
    std::array<at::Tensor, 2> halves; ///< [heads] each: sums of every second example
    at::Tensor squares;
    std::int64_t n = 0;

    // gradients: [B, heads]; the sequences of an example belong together.
    void add(const at::Tensor& gradients, const std::vector<int>& firstMember)
    {
        const at::Tensor wide = gradients.to(at::kDouble);
        for (std::size_t e = 0; e + 1 < firstMember.size(); ++e) {
            const at::Tensor one = wide.narrow(0, firstMember[e], firstMember[e + 1] - firstMember[e]).sum(0);
            if (!at::isfinite(one).all().item<bool>())
                continue; // a row whose numbers broke is left out, as it is everywhere else
            halves[static_cast<std::size_t>(n % 2)] += one;
            squares += one * one;
            ++n;
        }
    }

    [[nodiscard]] std::optional<double> agreement() const
    {
        const auto values = [](const at::Tensor& x) { return std::span<const double>(x.data_ptr<double>(), static_cast<std::size_t>(x.numel())); };
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
        const double mean = -(sums.halves[0][index].item<double>() + sums.halves[1][index].item<double>()) / n; // removing moves the gate from 1 to 0
        const double variance = sums.n > 1 ? std::max(sums.squares[index].item<double>() - n * mean * mean, 0.0) / (n - 1) : 0;
        const double wide = 1.96 * std::sqrt(variance / n);
        heads.push_back({.head = head, .value = mean, .interval = {mean - wide, mean + wide}, .margin = mean, .n = static_cast<int>(sums.n), .estimate = true});
        ++index;
    }
    std::stable_sort(heads.begin(), heads.end(), [](const RankedHead& a, const RankedHead& b) { return a.margin < b.margin; });
    return heads;
}

} // namespace

Result<Estimate> estimateRemovals(const Benchmark& benchmark, const lm::Model& model, const InterventionSet& fixed, const lm::DonorLoader& donors,
                                  const Control& control, const EstimateOptions& options)
{
    const c10::InferenceMode allowGraphs(false);
    const at::NoGradGuard noGrad; // switched on layer by layer
    const auto edits = lm::resolve(fixed, model.spec(), model.device(), donors);
    if (!edits.has_value())
        return edits.error();
    for (const auto& [layer, edit] : edits->layers)
        if (edit.donor)
            return inputError("An estimate can not see into layer L" + std::to_string(layer) + ", which is another model's; rank with --method exact.");
    const std::vector<int> examples = examplesWithMargin(benchmark, options.seed);
    if (examples.empty())
        return inputError("The rows of '" + benchmark.set().name + "' have no choices to tell apart, so heads can not be estimated on it; rank with --method exact.");
    Replacements replacements(model, benchmark.workload(), control.stop);
    const auto places = placesOf(model.spec());
    const auto heads = static_cast<std::int64_t>(allHeads(model.spec()).size());
    Sums sums(heads);
    const auto add = [&](const Workload::Batch& batch) {
        std::vector<const Sequence*> sequences;
        for (const Workload::Member& member : batch.members)
            sequences.push_back(&benchmark.workload().sequence(member));
        const Reading reading = readingOf(benchmark, batch, model.device());
        const lm::Edits filled = Replacements::needed(*edits) ? replacements.fill(*edits, batch) : *edits;
        at::Tensor gradients = at::zeros({static_cast<std::int64_t>(sequences.size()), heads});
        Backward backward(model, filled, paddedIds(sequences, batch.length, model.device()), reading, control.stop);
        for (int step = 0; step < options.steps; ++step) {
            const double opened = options.steps == 1 ? 1.0 : (step + 0.5) / options.steps;
            if (control.stopped() || !backward.run(places, opened, options.graphBytes, gradients))
                return false;
        }
        gradients /= options.steps;
        sums.add(gradients, reading.firstMember);
        return true;
    };
    std::size_t taken = 0;
    std::optional<double> agreement;
    const auto enough = [&] { return options.agreement < 1 && agreement && *agreement >= options.agreement; };
    while (taken < examples.size() && !enough()) {
        const std::size_t next = std::min(taken == 0 ? static_cast<std::size_t>(std::max(options.firstExamples, 1)) : 2 * taken, examples.size());
        for (const Workload::Batch& batch : wholeExamples(benchmark, std::span(examples).subspan(taken, next - taken), batchTokens(model))) {
            if (!add(batch))
                return cancelledError();
            control.progress("estimating all heads", sums.n, static_cast<std::int64_t>(examples.size()));
        }
        taken = next;
        agreement = sums.agreement();
    }
    if (sums.n == 0)
        return inputError("No row of '" + benchmark.set().name + "' could be scored, so heads can not be estimated by it.");
    return Estimate{ranked(model.spec(), sums), agreement};
}

} // namespace headscope::engine
