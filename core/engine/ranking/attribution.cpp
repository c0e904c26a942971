// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ranking/attribution.h"

#include "core/engine/ranking/gatedpass.h"
#include "core/engine/ranking/gradientsums.h"
#include "core/engine/replacements.h"
#include "core/engine/scoring/pairs/steptokens.h"
#include "core/engine/treerun.h"
#include "core/lm/device/forecast.h"
#include "core/lm/device/memorymeter.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace headscope::engine {

using interventions::InterventionSet;

namespace {

constexpr auto kStep = std::chrono::milliseconds(50);

// On the processor so few that a layer of a large model, which is not left in its middle on the way back, takes a tenth
// of a second on two cores.
std::int64_t batchTokens(const lm::Model& model)
{
    const std::int64_t most = model.spec().hidden <= 256 ? 8192 : model.spec().hidden <= 1024 ? 4096 : 1024;
    return model.device().is_cpu() ? std::min(most, std::max<std::int64_t>(stepTokens(model.spec()) / 3, 1)) : most;
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
                         + lm::sizeText(layerwise) + " in addition to the weights; there is memory for "
                         + lm::sizeText(memory) + ".",
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

} // namespace

/// The batches of an estimate, and the gradients of each.
class RemovalEstimate::Work
{
public:
    Work(const Benchmark& benchmark, const lm::Model& model, lm::Edits edits, std::vector<int> examples,
         const EstimateOptions& options)
        : m_benchmark(benchmark), m_model(model), m_edits(std::move(edits)), m_examples(std::move(examples)),
          m_options(options), m_places(gatePlaces(model.spec())),
          m_sums(static_cast<std::int64_t>(allHeads(model.spec()).size()))
    {
    }

    /// A layer, or what comes between two batches. False when it was stopped: then it is done again.
    [[nodiscard]] Result<bool> step(const Control& control)
    {
        if (!m_room) {
            auto room = measureRoom(control.stop);
            if (!room.has_value())
                return room.error();
            m_room = *room;
        }
        if (!m_gradients.running())
            return m_next < m_batches.size() ? begin(control.stop) : (beginRound(), true);
        if (!m_gradients.step(m_room->graphBytes, m_options.steps, control.stop))
            return false;
        if (m_gradients.running())
            return true;
        m_sums.add(m_gradients.take());
        control.progress("estimating all heads", m_sums.examples(), static_cast<std::int64_t>(m_examples.size()));
        if (++m_next == m_batches.size())
            endRound();
        return true;
    }

    /// Batches of a round as pieces, in the order in which they are added up.
    [[nodiscard]] Result<void> run(const MeasurePieces& pieces, bool all, const Control& control)
    {
        if (!m_room) {
            auto room = measureRoom(control.stop);
            if (!room.has_value())
                return room.error();
            m_room = *room;
        }
        for (int first = 0; all ? m_taken < m_examples.size() : !done(); first += static_cast<int>(m_batches.size())) {
            beginRound();
            const auto found =
                pieces({.name = std::to_string(m_room->positions) + " positions at once, "
                                + std::to_string(m_room->graphBytes) + " bytes of graphs",
                        .stage = "estimating all heads",
                        .first = first,
                        .count = static_cast<int>(m_batches.size()),
                        .measure =
                            [&](int piece, const Control& own) {
                                return gradientsOf(m_batches[static_cast<std::size_t>(piece - first)], own.stop);
                            }},
                       control);
            if (!found.has_value())
                return found.error();
            if (control.stopped())
                return cancelledError();
            m_next = m_batches.size();
            if (all) {
                m_taken = roundBehind(m_taken);
                continue;
            }
            for (const std::string& batch : *found) {
                const auto gradients = unpackGradients(batch, m_sums.heads());
                if (!gradients.has_value())
                    return gradients.error();
                m_sums.add(*gradients);
            }
            endRound();
        }
        return {};
    }

    [[nodiscard]] bool done() const
    {
        const bool enough = m_options.agreement < 1 && m_agreement && *m_agreement >= m_options.agreement;
        return m_next == m_batches.size() && (m_taken == m_examples.size() || enough);
    }
    [[nodiscard]] std::int64_t examples() const { return m_sums.examples(); }
    /// At the end.
    [[nodiscard]] Result<void> checkScored() const
    {
        return examples() > 0 ? Result<void>()
                              : inputError("No row of '" + m_benchmark.set().name
                                           + "' could be scored, so heads cannot be estimated by it.");
    }
    [[nodiscard]] Estimate estimate() const { return {m_sums.ranked(m_model.spec()), m_agreement, m_forecast}; }

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
    /// Bytes that a batch takes, by running it. Nothing when stopped.
    [[nodiscard]] std::optional<std::int64_t> bytesOf(const Workload::Batch& batch, std::int64_t graphBytes,
                                                      const std::stop_token& stop)
    {
        const lm::MemoryMeter meter(m_model.device());
        Gradients alone;
        if (!alone.begin(gated(batch, stop)))
            return std::nullopt;
        while (alone.running())
            if (!alone.step(graphBytes, m_options.steps, stop))
                return std::nullopt;
        return std::max<std::int64_t>(meter.peak(), 1);
    }

private:
    /// Means of d margin / d gate over the passes of one batch.
    class Gradients
    {
    public:
        [[nodiscard]] bool running() const { return m_batch != nullptr; }
        /// Null: it was stopped before it began, and so is this.
        [[nodiscard]] bool begin(std::unique_ptr<GatedBatch> batch)
        {
            m_batch = std::move(batch);
            m_passes = 0;
            m_sum.reset();
            return running();
        }
        /// A layer of one of `passes`. False when stopped. It runs no more once all are done.
        [[nodiscard]] bool step(std::int64_t graphBytes, int passes, const std::stop_token& stop)
        {
            if (!m_pass)
                m_pass.emplace(*m_batch, passes == 1 ? 1.0 : (m_passes + 0.5) / passes, graphBytes);
            if (stop.stop_requested() || !m_pass->step(stop))
                return false;
            if (!m_pass->done())
                return true;
            m_sum = m_sum.defined() ? m_sum + m_pass->gradients() : m_pass->gradients();
            m_pass.reset();
            if (++m_passes == passes) {
                m_sum = m_sum / passes;
                m_batch.reset();
            }
            return true;
        }
        [[nodiscard]] at::Tensor take() { return std::exchange(m_sum, {}); } ///< [E, heads] on the host

    private:
        std::unique_ptr<GatedBatch> m_batch;
        std::optional<GatedPass> m_pass;
        int m_passes = 0; ///< that are done
        at::Tensor m_sum;
    };

    /// Null when stopped.
    [[nodiscard]] std::unique_ptr<GatedBatch> gated(const Workload::Batch& batch, const std::stop_token& stop)
    {
        auto made = std::make_unique<GatedBatch>();
        made->model = &m_model;
        made->places = &m_places;
        std::vector<const Sequence*> sequences;
        for (const Workload::Member& member : batch.members)
            sequences.push_back(&m_benchmark.workload().sequence(member));
        if (batch.tree)
            made->tree = std::make_shared<const lm::DeviceTree>(batch.tree, m_model.device());
        const at::Tensor ids = batch.tree ? made->tree->ids() : paddedIds(sequences, batch.length, m_model.device());
        made->reading = marginReading(m_benchmark, batch, m_model.device());
        made->edits = Replacements::needed(m_edits) ? replacements(stop).fill(m_edits, batch) : m_edits;
        made->embedding = m_model.embed(ids, {.tree = made->tree.get()});
        return stop.stop_requested() ? nullptr : std::move(made);
    }

    [[nodiscard]] Result<std::string> gradientsOf(const Workload::Batch& batch, const std::stop_token& stop)
    {
        Gradients gradients;
        if (!gradients.begin(gated(batch, stop)))
            return cancelledError();
        while (gradients.running())
            if (!gradients.step(m_room->graphBytes, m_options.steps, stop))
                return cancelledError();
        return packGradients(gradients.take());
    }

    /// What they found holds as long as nothing else may stop them.
    [[nodiscard]] Replacements& replacements(const std::stop_token& stop)
    {
        if (!m_replacements || m_replacementsStop != stop)
            m_replacements.emplace(m_model, m_benchmark.workload(), m_replacementsStop = stop);
        return *m_replacements;
    }

    [[nodiscard]] bool begin(const std::stop_token& stop) { return m_gradients.begin(gated(m_batches[m_next], stop)); }
    void beginRound()
    {
        m_batches = batchesOf(m_taken, m_room->positions);
        m_next = 0;
    }
    void endRound()
    {
        m_taken = roundBehind(m_taken);
        m_agreement = m_sums.agreement();
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
    /// Where memory is limited, by what the longest example takes alone.
    [[nodiscard]] Result<Room> measureRoom(const std::stop_token& stop)
    {
        const Room most{batchTokens(m_model), m_options.graphBytes, 0};
        if (m_options.memory <= 0)
            return most;
        const Workload::Batch alone = longestAlone(most.positions);
        const auto fits =
            roomIn(m_options.memory, positionsOf(alone), static_cast<std::int64_t>(m_model.spec().layers.size()), most,
                   [&](std::int64_t graphBytes) { return bytesOf(alone, graphBytes, stop).value_or(0); });
        if (stop.stop_requested())
            return cancelledError();
        if (fits.has_value())
            m_forecast = static_cast<std::int64_t>(
                static_cast<double>(std::max(positionsIn(fits->positions).second, positionsOf(alone)))
                * fits->bytesEach);
        return fits;
    }

    const Benchmark& m_benchmark;
    const lm::Model& m_model;
    lm::Edits m_edits;
    std::vector<int> m_examples;
    EstimateOptions m_options;
    std::optional<Replacements> m_replacements;
    std::stop_token m_replacementsStop;
    std::vector<std::vector<GatePlace>> m_places;
    std::optional<Room> m_room;
    std::optional<std::int64_t> m_forecast;
    std::vector<Workload::Batch> m_batches; ///< of the round
    std::size_t m_next = 0;                 ///< of them
    std::size_t m_taken = 0;                ///< examples of the rounds that are over
    Gradients m_gradients;                  ///< of the batch that runs
    GradientSums m_sums;
    std::optional<double> m_agreement;
};

RemovalEstimate::RemovalEstimate(std::unique_ptr<Work> work) : m_work(std::move(work)) {}
RemovalEstimate::RemovalEstimate(RemovalEstimate&& other) noexcept = default;
RemovalEstimate& RemovalEstimate::operator=(RemovalEstimate&& other) noexcept = default;
RemovalEstimate::~RemovalEstimate() = default;

Result<RemovalEstimate> RemovalEstimate::start(const Benchmark& benchmark, const lm::Model& model,
                                               const InterventionSet& fixed, const lm::DonorLoader& donors,
                                               const EstimateOptions& options)
{
    auto edits = lm::resolve(fixed, model.spec(), donors, lm::Others::Examples);
    if (!edits.has_value())
        return edits.error();
    for (const auto& [layer, edit] : edits->layers)
        if (edit.donor)
            return inputError("An estimate cannot see into layer L" + std::to_string(layer)
                              + ", which is another model's; rank with --method exact.");
    std::vector<int> examples = examplesWithMargin(benchmark, options.seed);
    if (examples.empty())
        return inputError("The rows of '" + benchmark.set().name
                          + "' have no choices to compare, so heads cannot be estimated on it; rank with --method "
                            "exact.");
    return RemovalEstimate(std::make_unique<Work>(benchmark, model, std::move(*edits), std::move(examples), options));
}

Result<void> RemovalEstimate::run(const MeasurePieces& pieces, const Control& control)
{
    const c10::InferenceMode allowGraphs(false);
    const at::NoGradGuard noGrad;
    if (const auto ran = m_work->run(pieces, false, control); !ran.has_value())
        return ran;
    return m_work->checkScored();
}

Result<void> RemovalEstimate::measureAll(const MeasurePieces& pieces, const Control& control)
{
    const c10::InferenceMode allowGraphs(false);
    const at::NoGradGuard noGrad;
    return m_work->run(pieces, true, control);
}

Result<bool> RemovalEstimate::step(const Control& control)
{
    const c10::InferenceMode allowGraphs(false);
    const at::NoGradGuard noGrad; // switched on layer by layer
    const auto begun = std::chrono::steady_clock::now();
    while (!m_work->done() && std::chrono::steady_clock::now() - begun < kStep) {
        if (control.stopped())
            return cancelledError();
        const auto went = m_work->step(control);
        if (!went.has_value())
            return went;
        if (!*went)
            return cancelledError();
    }
    if (!m_work->done())
        return true;
    const auto scored = m_work->checkScored();
    return scored.has_value() ? Result<bool>(false) : Result<bool>(scored.error());
}

std::int64_t RemovalEstimate::examples() const
{
    return m_work->examples();
}

Estimate RemovalEstimate::estimate() const
{
    return m_work->estimate();
}

Result<Estimate> estimateRemovals(const Benchmark& benchmark, const lm::Model& model, const InterventionSet& fixed,
                                  const lm::DonorLoader& donors, const Control& control, const EstimateOptions& options)
{
    auto work = RemovalEstimate::start(benchmark, model, fixed, donors, options);
    if (!work.has_value())
        return work.error();
    for (Result<bool> more = true; more.has_value() && *more;)
        if (more = work->step(control); !more.has_value())
            return more.error();
    return work->estimate();
}

Result<EstimateCost> forecastEstimate(const Benchmark& benchmark, const lm::Model& model, const Control& control,
                                      EstimateOptions options)
{
    const c10::InferenceMode allowGraphs(false);
    const at::NoGradGuard noGrad;
    const int passes = std::exchange(options.steps, 1);
    const auto estimate = RemovalEstimate::start(benchmark, model, {}, {}, options);
    if (!estimate.has_value())
        return estimate.error();
    RemovalEstimate::Work& work = *estimate->m_work;
    const Workload::Batch alone = work.longestAlone(batchTokens(model));
    const auto begin = std::chrono::steady_clock::now();
    // Larger batches are run a layer at a time where all of their graphs are too large together.
    const auto [all, largest] = work.positionsIn(batchTokens(model));
    const bool whole = graphBytes(model.spec()) * largest <= options.graphBytes;
    const auto bytes = work.bytesOf(alone, whole ? options.graphBytes : 0, control.stop);
    if (!bytes)
        return cancelledError();
    const double each = 1.0 / static_cast<double>(std::max<std::int64_t>(positionsOf(alone), 1));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    return EstimateCost{
        .seconds = seconds.count() * each * static_cast<double>(all) * passes,
        .bytes = static_cast<std::int64_t>(static_cast<double>(*bytes) * each * static_cast<double>(largest))};
}

} // namespace headscope::engine
