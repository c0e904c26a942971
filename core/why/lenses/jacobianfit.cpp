// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/lenses/jacobianfit.h"

#include "core/base/elapsed.h"
#include "core/lm/device/forecast.h"
#include "core/lm/device/threads.h"
#include "core/why/cost.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>

namespace headscope::why {

namespace {

constexpr std::int64_t kGraphBytes = std::int64_t{512} << 20, kCotangentBytes = std::int64_t{256} << 20;
constexpr std::int64_t kTokensOnHost = 256, kTokensOnGpu = 32768; // in copies side by side, enough for fast products

/// How rows go through the layers: `copies` in one backward pass, `rows` (a multiple) before the next layer.
struct Batching {
    std::int64_t copies = 1, rows = 1;
};

// Bytes that the graph of the largest layer keeps of a position, and the most columns of a stream.
std::pair<std::int64_t, std::int64_t> widest(const lm::Model& model)
{
    std::int64_t graph = 1;
    for (const lm::LayerSpec& layer : model.spec().layers)
        graph = std::max(graph, lm::graphBytes(model.spec(), layer));
    return {graph, std::ranges::max(model.streamColumns())};
}

Batching batchingOf(const lm::Model& model, std::int64_t length)
{
    const lm::ModelSpec& spec = model.spec();
    const auto [graph, columns] = widest(model);
    const std::int64_t most = std::min((model.device().is_cpu() ? kTokensOnHost : kTokensOnGpu) / length,
                                       kGraphBytes / (graph * length)),
                       passes = (spec.hidden - 1) / std::clamp<std::int64_t>(most, 1, spec.hidden) + 1,
                       copies = (spec.hidden - 1) / passes + 1, // the passes are alike, so that few rows are empty
        together = std::clamp<std::int64_t>(kCotangentBytes / (length * columns * 4 * copies), 1, passes);
    return {copies, together * copies};
}

/// Threads of a fit. Stacked copies give all of them enough work even in a small model.
int fitThreads(const lm::ModelSpec& spec)
{
    return std::max(lm::threads(), lm::batchesAtOnceFor(spec, 0));
}

/// Backward passes at a time: one for each thread, since their operations are too small for several.
std::int64_t graphCount(const lm::Model& model)
{
    return model.device().is_cpu() ? fitThreads(model.spec()) : 1;
}

/// While it lives, one operation uses all threads. Stacked copies give them enough work even in a small model.
class ThreadsTogether
{
public:
    explicit ThreadsTogether(const lm::ModelSpec& spec) : m_before(lm::threads()) { lm::setThreads(fitThreads(spec)); }
    ~ThreadsTogether() { lm::setThreads(m_before); }
    ThreadsTogether(const ThreadsTogether&) = delete;
    ThreadsTogether& operator=(const ThreadsTogether&) = delete;

private:
    int m_before;
};

at::Tensor copied(const at::Tensor& one, std::int64_t copies)
{
    return one.expand({copies, -1, -1}).clone().requires_grad_(true);
}

} // namespace

/// One prompt on its way through a fit: its streams, and gradients of some entries of the last one.
class JacobianFit::Pass
{
public:
    Pass(const JacobianFit& fit, const at::Tensor& ids)
        : m_fit(fit), m_model(fit.m_model), m_ids(ids), m_batching(batchingOf(fit.m_model, ids.size(1)))
    {
    }

    [[nodiscard]] bool record(const Control& control)
    {
        const at::NoGradGuard noGrad;
        at::Tensor stream = m_embedding = m_model.embed(m_ids, {});
        for (int layer = 0; layer < layers(); ++layer) {
            m_streams.push_back(layer == 0 ? stream.narrow(-1, 0, hidden()) : stream);
            stream = run(stream, layer, m_embedding);
            if (control.stopped())
                return false;
        }
        m_streams.push_back(stream);
        return true;
    }

    /// d of the last stream's entries [first, first + count), summed over the valid positions: [rows, T, columns].
    void begin(std::int64_t first, std::int64_t count)
    {
        m_gradient = at::zeros({m_batching.rows, length(), m_streams.back().size(-1)}, m_streams.back().options());
        const at::Tensor entries = at::arange(count, m_ids.options());
        m_gradient.narrow(0, 0, count)
            .narrow(1, skip(), length() - skip())
            .index_put_({entries, at::indexing::Slice(), entries + first}, at::ones({}, m_gradient.options()));
        m_embeddingGradient = at::Tensor();
    }

    /// From behind a layer to before it.
    [[nodiscard]] bool back(int layer, std::int64_t count, const Control& control, bool toEmbedding)
    {
        const at::Tensor behind = m_gradient, &before = m_streams[static_cast<std::size_t>(layer)];
        m_gradient = at::empty({behind.size(0), length(), before.size(-1)}, before.options());
        if (toEmbedding && !m_embeddingGradient.defined())
            m_embeddingGradient = at::zeros({behind.size(0), length(), m_embedding.size(-1)}, m_embedding.options());
        std::vector<Graph> graphs(static_cast<std::size_t>(graphCount(m_model)));
        const std::int64_t copies = m_batching.copies, step = std::ssize(graphs) * copies;
        for (std::int64_t row = 0; row < count; row += step) {
            if (control.stopped())
                return false;
            const std::int64_t most = std::min(std::ssize(graphs), (count - row - 1) / copies + 1);
            at::parallel_for(0, most, 1, [&](std::int64_t first, std::int64_t last) {
                const at::NoGradGuard noGrad; // of this thread
                for (std::int64_t i = first; i < last; ++i) {
                    Graph& graph = graphs[static_cast<std::size_t>(i)];
                    if (!graph.output.defined())
                        graph = graphOf(layer, toEmbedding);
                    backOne(graph, behind, row + i * copies, toEmbedding);
                }
            });
        }
        return true;
    }

    /// Means over the valid positions, fp32 [count, D].
    [[nodiscard]] at::Tensor mean(std::int64_t count) const { return meanOf(m_gradient, count); }

    /// The same of the first stream, with what later layers read of the embedding.
    [[nodiscard]] at::Tensor meanOfEmbedding(std::int64_t count) const
    {
        at::Tensor sum = m_gradient;
        const at::Tensor& later = m_embeddingGradient;
        if (!later.defined())
            return meanOf(sum, count);
        if (later.size(-1) > hidden()) { // a second embedding that is made of the first
            const at::AutoGradMode withGraph(true);
            const at::Tensor copies = copied(m_embedding.narrow(-1, 0, hidden()), later.size(0));
            const at::Tensor beside = m_model.parts().perLayer(m_ids.expand({later.size(0), -1}), copies);
            const at::Tensor last = later.narrow(-1, hidden(), later.size(-1) - hidden());
            sum = sum + torch::autograd::grad({beside}, {copies}, {last.contiguous()})[0];
        }
        return meanOf(sum + later.narrow(-1, 0, hidden()), count);
    }

    [[nodiscard]] const Batching& batching() const { return m_batching; }

private:
    /// One layer of several copies of the prompt, for any number of backward passes.
    struct Graph {
        at::Tensor input, embedding, output;
    };
    [[nodiscard]] Graph graphOf(int layer, bool toEmbedding) const
    {
        const at::AutoGradMode withGraph(true);
        Graph graph{copied(m_streams[static_cast<std::size_t>(layer)], m_batching.copies),
                    copied(m_embedding, m_batching.copies).requires_grad_(toEmbedding),
                    {}};
        graph.output = run(graph.input, layer, graph.embedding);
        return graph;
    }
    void backOne(const Graph& graph, const at::Tensor& behind, std::int64_t row, bool toEmbedding)
    {
        std::vector<at::Tensor> inputs{graph.input};
        if (toEmbedding)
            inputs.push_back(graph.embedding);
        const auto part = [&](const at::Tensor& of) { return of.narrow(0, row, m_batching.copies); };
        const auto found = torch::autograd::grad({graph.output}, inputs, {part(behind)}, true, false, true);
        if (found[0].defined())
            part(m_gradient).copy_(found[0]);
        else // nothing of the stream goes on
            part(m_gradient).zero_();
        if (toEmbedding && found[1].defined())
            part(m_embeddingGradient).add_(found[1]);
    }
    [[nodiscard]] int layers() const { return m_fit.m_base.layerCount; }
    [[nodiscard]] std::int64_t hidden() const { return m_model.spec().hidden; }
    [[nodiscard]] std::int64_t length() const { return m_ids.size(1); }
    [[nodiscard]] std::int64_t skip() const { return m_fit.m_options.skip; }
    [[nodiscard]] at::Tensor run(const at::Tensor& stream, int layer, const at::Tensor& embedding) const
    {
        return m_model.runLayers(stream, layer, layer + 1, embedding, {.edits = &m_fit.m_base});
    }
    [[nodiscard]] at::Tensor meanOf(const at::Tensor& gradient, std::int64_t count) const
    {
        return gradient.narrow(0, 0, count)
            .narrow(1, skip(), length() - skip())
            .narrow(2, 0, hidden())
            .to(at::kFloat)
            .mean(1);
    }

    const JacobianFit& m_fit;
    const lm::Model& m_model;
    at::Tensor m_ids, m_embedding;
    Batching m_batching;
    std::vector<at::Tensor> m_streams; ///< before each layer and after the last
    at::Tensor m_gradient, m_embeddingGradient;
};

JacobianFit::JacobianFit(const lm::Model& model, const lm::Edits& base, JacobianOptions options)
    : m_model(model), m_base(base), m_options(std::move(options))
{
    for (int layer = 0; m_options.layers.empty() && layer < base.layerCount; ++layer)
        m_sums.before[layer];
    for (const int layer : m_options.layers)
        m_sums.before[layer];
    for (auto& [layer, sum] : m_sums.before)
        sum = at::zeros({model.spec().hidden, model.spec().hidden});
}

std::int64_t JacobianFit::bytes(std::int64_t length) const
{
    const lm::ModelSpec& spec = m_model.spec();
    const Batching batching = batchingOf(m_model, length);
    const auto [graph, columns] = widest(m_model);
    const std::int64_t matrices = 2 * std::ssize(m_sums.before) * spec.hidden * spec.hidden * 4; // and one prompt's
    return matrices + recordingBytes(m_model, length) + graphCount(m_model) * batching.copies * length * graph
           + 3 * batching.rows * length * columns * 4;
}

Result<at::Tensor> JacobianFit::tokens(const std::vector<int>& ids) const
{
    if (m_options.skip < 0)
        return inputError("Cannot skip " + std::to_string(m_options.skip) + " positions; expected 0 or more.");
    if (std::ssize(ids) < m_options.skip + 2)
        return inputError("A prompt has " + std::to_string(ids.size()) + " tokens; expected at least "
                          + std::to_string(m_options.skip + 2) + ", two more than are skipped.");
    const auto all = tokensOf(m_model, ids);
    if (!all.has_value())
        return all;
    // The last position is neither source nor target, and nothing before it depends on it.
    at::Tensor read = all->narrow(1, 0, all->size(1) - 1);
    if (const auto fits = checkFits(m_model, {.bytes = bytes(read.size(1))}); !fits.has_value())
        return fits.error();
    return read;
}

Result<double> JacobianFit::secondsPerPrompt(const std::vector<int>& ids) const
{
    const auto all = tokens(ids);
    if (!all.has_value())
        return all.error();
    const c10::InferenceMode allowGraphs(false);
    const at::NoGradGuard noGrad;
    const ThreadsTogether threads(m_model.spec());
    Pass pass(*this, *all);
    (void)pass.record({});
    const int last = m_base.layerCount - 1, lowest = m_sums.before.begin()->first;
    const std::int64_t hidden = m_model.spec().hidden, step = graphCount(m_model) * pass.batching().copies,
                       most = std::min(pass.batching().rows, hidden);
    const auto timed = [&](int layer, std::int64_t rows) {
        const auto begin = std::chrono::steady_clock::now();
        (void)pass.back(layer, rows, {}, lowest == 0);
        return secondsSince(begin);
    };
    // A first pass finds weights and memory cold, and the graph of a layer is made once for many passes.
    constexpr double kLong = 2;
    constexpr std::int64_t kPasses = 8;
    std::int64_t rows = std::min(step, most);
    pass.begin(0, rows);
    const auto passes = static_cast<std::int64_t>(kLong / std::max(timed(last, rows), kLong / kPasses));
    rows = std::min(std::max<std::int64_t>(passes, 1) * step, most);
    pass.begin(0, rows);
    double seconds = 0;
    int measured = 0;
    for (int layer = last; layer >= lowest && (measured == 0 || seconds < kLong); --layer, ++measured)
        seconds += timed(layer, rows);
    return seconds / measured * (last + 1 - lowest) * static_cast<double>(hidden) / static_cast<double>(rows);
}

Result<void> JacobianFit::add(const std::vector<int>& ids, const Control& control)
{
    const auto all = tokens(ids);
    if (!all.has_value())
        return all.error();
    const c10::InferenceMode allowGraphs(false);
    const at::NoGradGuard noGrad; // switched on layer by layer
    const ThreadsTogether threads(m_model.spec());
    Pass pass(*this, *all);
    if (!pass.record(control))
        return cancelledError();
    const std::int64_t hidden = m_model.spec().hidden, step = pass.batching().rows;
    const int lowest = m_sums.before.begin()->first;
    std::map<int, std::vector<at::Tensor>> rows;
    for (std::int64_t first = 0; first < hidden; first += step) {
        const std::int64_t count = std::min(step, hidden - first);
        pass.begin(first, count);
        for (int layer = m_base.layerCount - 1; layer >= lowest; --layer) {
            if (!pass.back(layer, count, control, lowest == 0))
                return cancelledError();
            if (m_sums.before.contains(layer))
                rows[layer].push_back((layer == 0 ? pass.meanOfEmbedding(count) : pass.mean(count)).cpu());
            const std::int64_t layers = m_base.layerCount - lowest, each = layers * hidden;
            control.progress("jacobian lens",
                             m_sums.prompts * each + first * layers + count * (m_base.layerCount - layer),
                             m_options.prompts * each);
        }
    }
    std::map<int, at::Tensor> found;
    for (const auto& [layer, parts] : rows) {
        found[layer] = at::cat(parts);
        if (!at::isfinite(found[layer]).all().item<bool>())
            return inputError("The gradient before layer " + std::to_string(layer)
                              + " is not finite for a prompt; expected a prompt without such numbers, or fp32.");
    }
    for (const auto& [layer, matrix] : found)
        m_sums.before[layer] += matrix;
    ++m_sums.prompts;
    return {};
}

JacobianLens JacobianFit::mean() const
{
    JacobianLens lens;
    for (const auto& [layer, sum] : m_sums.before)
        lens.before[layer] = sum / static_cast<double>(m_sums.prompts);
    return lens;
}

} // namespace headscope::why
