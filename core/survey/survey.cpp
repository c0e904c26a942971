// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/survey/survey.h"

#include "core/base/giveway.h"
#include "core/lm/device/transfer.h"
#include "core/survey/headwrites.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace headscope::survey {

using lm::Site;

namespace {

// A block is read, put in order of length and cut into batches. It depends on the texts alone, so that a survey that
// goes on makes the same batches.
constexpr std::int64_t kBlockTokens = 8192;
constexpr std::int64_t kBatchNumbers = std::int64_t{1} << 21; // of the matrices of a layer, which then stay in cache
constexpr std::size_t kMostWindows = 64;
constexpr std::int64_t kPartNumbers = std::int64_t{1} << 22; // of a part of them, whose memory the next part takes
constexpr std::int64_t kFewestRows = 16;                     // of a part: fewer make poor products
constexpr std::int64_t kMostBytes = std::int64_t{4} << 30;   // of all heads, before a batch and with it

constexpr std::int64_t kAhead = 3; // rows from memory to cache while others are measured

// A row up to its query, soon to be read.
void fetch(const float* row, std::int64_t query)
{
    constexpr std::int64_t kLine = 16;
    for (std::int64_t s = 0; s <= query; s += kLine)
        __builtin_prefetch(row + s);
}

at::Tensor onHost(const at::Tensor& x)
{
    return x.defined() ? x.to(at::kCPU, at::kFloat).contiguous() : x;
}

bool names(const interventions::HeadRef& ref, const lm::ModelSpec& spec, const SurveyedHead& head)
{
    return ref.layer == head.layer && (ref.head < 0 || ref.head == head.head)
           && (ref.site == head.site
               || (ref.site == Site::Any
                   && spec.layers[static_cast<std::size_t>(head.layer)].find(Site::Any)->site() == head.site));
}

} // namespace

/// One batch while it is measured.
struct Survey::Batch {
    const std::vector<Window>& windows;
    std::int64_t length = 0;
    std::vector<RowPlace> places;              ///< of rows, window after window, without the first of each
    std::vector<HeadSurvey> results;           ///< by head: what is counted with this batch
    at::Tensor stream, embedding;              ///< [B, T, D]: what the layer reads
    std::map<Where, at::Tensor> norms, shares; ///< [B, T, H] on the host

    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(windows.size()); }
};

Survey::Survey(std::shared_ptr<const lm::Model> model, lm::Edits base, Windows windows, SurveyOptions options)
    : m_model(std::move(model)), m_base(std::move(base)), m_windows(std::move(windows)), m_options(std::move(options))
{
}
Survey::Survey(Survey&&) noexcept = default;
Survey& Survey::operator=(Survey&&) noexcept = default;
Survey::~Survey() = default;

Result<Survey> Survey::make(std::shared_ptr<const lm::Model> model, lm::Edits base, Windows windows,
                            SurveyOptions options)
{
    const lm::ModelSpec& spec = model->spec();
    const int length = windows.options().length;
    if (length < kFewestTokens)
        return inputError("A window of " + std::to_string(length) + " tokens is too short; expected at least "
                          + std::to_string(kFewestTokens) + ".");
    if (spec.maxPositions > 0 && length > spec.maxPositions)
        return inputError("A window of " + std::to_string(length) + " tokens is longer than the model reads; expected "
                          + std::to_string(spec.maxPositions) + " at the most.");
    for (const interventions::HeadRef& ref : options.heads)
        if (const auto mixer = lm::findMixer(spec, {ref.layer, ref.site, std::max(ref.head, 0)}); !mixer.has_value())
            return mixer.error();
    if (const auto same = lm::checkSameHeads(base, spec); !same.has_value())
        return same.error();
    Survey survey(std::move(model), std::move(base), std::move(windows), std::move(options));
    survey.chooseHeads();
    if (survey.m_heads.empty())
        return inputError("There is no head to survey: the layers of all named heads are skipped.");
    const auto bytes = 2 * static_cast<std::int64_t>(survey.m_heads.size()) * headBytes(survey.m_options.places);
    if (bytes > kMostBytes)
        return inputError("A survey of " + std::to_string(survey.m_heads.size()) + " heads would take "
                          + std::to_string(bytes >> 20) + " MB; expected fewer with --head.");
    survey.m_results.assign(survey.m_heads.size(), HeadSurvey(survey.m_options.places));
    return survey;
}

void Survey::chooseHeads()
{
    const lm::ModelSpec& spec = m_model->spec();
    for (int layer = 0; layer < m_base.layerCount; ++layer)
        for (const Site site : interventions::kMixerSites) {
            const lm::LayerEdits* edits = m_base.find(layer);
            const lm::MixerSpec* mixer = spec.layers[static_cast<std::size_t>(layer)].find(site);
            if (!mixer || (edits && edits->skips(site)))
                continue;
            for (int head = 0; head < mixer->heads; ++head) {
                const SurveyedHead one{layer, site, head};
                const bool wanted =
                    m_options.heads.empty()
                    || std::any_of(m_options.heads.begin(), m_options.heads.end(),
                                   [&](const interventions::HeadRef& ref) { return names(ref, spec, one); });
                if (!wanted)
                    continue;
                m_ofSite[{layer, site}].push_back(m_heads.size());
                m_heads.push_back(one);
            }
        }
}

std::size_t Survey::windowsAtOnce(std::size_t length) const
{
    std::int64_t heads = 1;
    for (const auto& [where, indexes] : m_ofSite)
        heads = std::max(heads, static_cast<std::int64_t>(indexes.size()));
    const auto numbers = heads * static_cast<std::int64_t>(length * length);
    return std::clamp<std::size_t>(static_cast<std::size_t>(kBatchNumbers / numbers), 1, kMostWindows);
}

Result<std::vector<Window>> Survey::nextBlock(Windows& windows)
{
    std::vector<Window> block;
    for (std::int64_t tokens = 0; tokens < kBlockTokens;) {
        auto window = windows.next();
        if (!window.has_value())
            return window.error();
        if (!window->has_value())
            break;
        tokens += static_cast<std::int64_t>((*window)->facts.ids.size());
        block.push_back(std::move(**window));
    }
    return block;
}

Result<bool> Survey::fillBlock()
{
    // What is counted so far ends here, whatever becomes of the windows that follow.
    m_block.clear();
    m_state.block = m_windows.position();
    m_state.batches = 0;
    m_state.measured.close();
    for (HeadSurvey& head : m_results)
        head.close();
    auto block = nextBlock(m_windows);
    if (!block.has_value()) {
        if (const auto back = m_windows.goTo(m_state.block); !back.has_value())
            return back.error();
        return block.error();
    }
    std::stable_sort(block->begin(), block->end(),
                     [](const Window& a, const Window& b) { return a.facts.ids.size() > b.facts.ids.size(); });
    for (Window& window : *block) {
        const std::size_t length = window.facts.ids.size();
        if (m_block.empty() || m_block.back().front().facts.ids.size() != length
            || m_block.back().size() >= windowsAtOnce(length))
            m_block.emplace_back();
        m_block.back().push_back(std::move(window));
    }
    return !m_block.empty();
}

Result<bool> Survey::step(const Control& control)
{
    if (m_state.batches >= m_block.size()) {
        const auto filled = fillBlock();
        if (!filled.has_value() || !*filled)
            return filled;
    }
    const std::vector<Window>& windows = m_block[m_state.batches];
    Batch batch{.windows = windows, .length = static_cast<std::int64_t>(windows.front().facts.ids.size())};
    if (const auto measured = measure(batch, control); !measured.has_value())
        return measured.error();
    m_results = std::move(batch.results);
    for (const Window& window : windows)
        m_state.measured.add(window, m_windows.options());
    ++m_state.batches;
    return true;
}

Result<void> Survey::measure(Batch& batch, const Control& control)
{
    const at::NoGradGuard noGrad;
    std::vector<std::int64_t> ids;
    for (const Window& window : batch.windows) {
        for (const int id : window.facts.ids) {
            if (id < 0 || id >= m_model->spec().vocabulary)
                return inputError("The tokenizer returned the id " + std::to_string(id) + "; the model has tokens 0 to "
                                  + std::to_string(m_model->spec().vocabulary - 1) + ".");
            ids.push_back(id);
        }
        for (std::uint32_t t = 1; t < static_cast<std::uint32_t>(batch.length); ++t)
            batch.places.push_back(
                {window.piece, window.number, t, drawOf(m_windows.options().seed, window.piece, window.number, t)});
    }
    batch.results = m_results;
    const at::Tensor input =
        lm::onDevice(at::tensor(ids, at::kLong).view({batch.size(), batch.length}), m_model->device());
    batch.embedding = m_model->embed(input, {});
    batch.stream = lm::steered(batch.embedding, m_base.find(0));
    const why::LayerRun run(*m_model, m_base, batch.embedding);
    const int last = m_heads.back().layer; // what stands above no head reads
    for (int layer = 0; layer <= last; ++layer) {
        if (control.stopped())
            return cancelledError();
        if (!measureLayer(batch, run, layer, control))
            return cancelledError();
    }
    return {};
}

bool Survey::measureLayer(Batch& batch, const why::LayerRun& run, int layer, const Control& control)
{
    const auto fits = [&](std::size_t heads) {
        return batch.size() * batch.length * batch.length * static_cast<std::int64_t>(heads) <= m_options.atOnce;
    };
    lm::Capture capture;
    std::map<Where, std::vector<int>> wanted;
    for (const Site site : interventions::kMixerSites)
        if (const auto found = m_ofSite.find({layer, site}); found != m_ofSite.end()) {
            std::vector<int>& heads = wanted[found->first];
            for (const std::size_t index : found->second)
                heads.push_back(m_heads[index].head);
            lm::SiteCapture& own = capture.sites[found->first];
            own.wantZ = true;
            own.wantMatrix = fits(heads.size());
            if (std::cmp_less(heads.size(), run.mixer(layer, site).heads))
                own.heads = heads;
        }
    // What heads of one kind write may be scaled by the outputs of both.
    for (const lm::MixerSpec& mixer : m_model->spec().layers[static_cast<std::size_t>(layer)].mixers)
        if (!wanted.empty())
            capture.sites[{layer, mixer.site()}].wantZ = true;
    const bool last = layer == m_heads.back().layer; // whose MLP nothing reads
    const at::Tensor next = last ? run.behindMixer(batch.stream, layer, run.edits(layer), &capture)
                                 : run.step(batch.stream, layer, run.edits(layer), &capture);
    lm::HeadOutputs z;
    for (const auto& [where, own] : capture.sites)
        z.site(where.second) = own.z;
    normsOf(batch, run, layer, z);
    for (const auto& [where, heads] : wanted) {
        if (capture.sites[where].matrix.defined())
            measureRows(batch, where, onHost(capture.sites[where].matrix), 0, heads);
        else if (!measureInParts(batch, run, where, heads, control))
            return false;
    }
    batch.stream = next;
    return true;
}

// Matrices that are too large for memory, some rows at a time, in a run that makes nothing else.
bool Survey::measureInParts(Batch& batch, const why::LayerRun& run, const Where& where, const std::vector<int>& heads,
                            const Control& control)
{
    lm::Capture capture;
    lm::SiteCapture& own = capture.sites[where];
    own.wantRows = own.matrixOnly = true;
    if (std::cmp_less(heads.size(), run.mixer(where.first, where.second).heads))
        own.heads = heads;
    (void)run.step(batch.stream, where.first, run.edits(where.first), &capture);
    const std::int64_t step =
        std::max(std::min(kPartNumbers, m_options.atOnce) / (std::ssize(heads) * batch.length), kFewestRows);
    for (std::int64_t first = 0; first < batch.length; first += step) {
        if (control.stopped())
            return false;
        giveWay();
        measureRows(batch, where, onHost(own.rows(first, std::min(step, batch.length - first))), first, heads);
    }
    return true;
}

void Survey::normsOf(Batch& batch, const why::LayerRun& run, int layer, const lm::HeadOutputs& z)
{
    if (!z.attention.defined() && !z.ssm.defined())
        return;
    const lm::Block& block = run.block(layer);
    std::unique_ptr<HeadWrites>& writes = m_writes[layer];
    if (!writes)
        writes = std::make_unique<HeadWrites>(block, m_model->spec().layers[static_cast<std::size_t>(layer)], z,
                                              m_model->spec().hidden);
    const at::Tensor stream = batch.stream.to(at::kFloat).norm(2, -1, true).clamp_min(1e-30); // [B, T, 1]
    for (const Site site : interventions::kMixerSites) {
        const at::Tensor& own = z.site(site);
        if (!own.defined())
            continue;
        const int heads = run.mixer(layer, site).heads;
        batch.norms[{layer, site}] = onHost(own.to(at::kFloat).unflatten(2, {heads, -1}).norm(2, -1));
        if (const at::Tensor written = writes->norms(block, z, site); written.defined())
            batch.shares[{layer, site}] = onHost(written / stream);
    }
}

void Survey::measureRows(Batch& batch, const Where& where, const at::Tensor& matrix, std::int64_t firstRow,
                         const std::vector<int>& heads)
{
    const std::vector<std::size_t>& indexes = m_ofSite[where];
    const auto valueAt = [&](const std::map<Where, at::Tensor>& values, std::int64_t row, int head) {
        const auto found = values.find(where);
        return found == values.end() ? std::numeric_limits<float>::quiet_NaN()
                                     : found->second.const_data_ptr<float>()[row * found->second.size(2) + head];
    };
    const std::int64_t length = batch.length, count = matrix.size(1), rowCount = matrix.size(2);
    const std::int64_t firstMeasured = firstRow == 0 ? 1 : 0; // the first token sees only itself
    const float* const numbers = matrix.const_data_ptr<float>();
    const auto measureHead = [&](std::int64_t i) {
        const int head = heads[static_cast<std::size_t>(i)];
        const std::size_t index =
            *std::find_if(indexes.begin(), indexes.end(), [&](std::size_t at) { return m_heads[at].head == head; });
        HeadSurvey& measured = batch.results[index];
        DistanceProfile profile{};
        for (std::int64_t b = 0; b < batch.size(); ++b)
            for (std::int64_t own = firstMeasured; own < rowCount; ++own) {
                const std::int64_t t = firstRow + own;
                const std::span<const float> cells(numbers + ((b * count + i) * rowCount + own) * length,
                                                   static_cast<std::size_t>(length));
                if (own + kAhead < rowCount)
                    fetch(cells.data() + kAhead * length, t + kAhead);
                MetricValues values{};
                measureRow(cells, static_cast<int>(t), batch.windows[static_cast<std::size_t>(b)].facts, values,
                           profile);
                values[indexOf(Metric::Norm)] = valueAt(batch.norms, b * length + t, head);
                values[indexOf(Metric::StreamShare)] = valueAt(batch.shares, b * length + t, head);
                const RowPlace& place = batch.places[static_cast<std::size_t>(b * (length - 1) + t - 1)];
                if (measured.wants(values, place))
                    measured.keep(values, place, readsOf(cells, static_cast<int>(t)));
                measured.add(values, profile);
            }
    };
    // Each head has numbers of its own, so the order of threads changes none.
    at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            measureHead(i);
    });
}

Result<void> Survey::resume(const SurveyState& state, std::vector<HeadSurvey> results)
{
    if (results.size() != m_results.size())
        return inputError("The stored survey has " + std::to_string(results.size()) + " heads; expected "
                          + std::to_string(m_results.size()) + ".");
    if (const auto there = m_windows.goTo(state.block); !there.has_value())
        return there.error();
    if (const auto filled = fillBlock(); !filled.has_value())
        return filled.error();
    if (state.batches > m_block.size())
        return inputError("The stored survey has counted more batches than its texts have.");
    m_state = state; // the same block, with what of it is counted
    m_results = std::move(results);
    return {};
}

Result<std::vector<Windows::Position>> Survey::blocks(const Control& control) const
{
    Windows reader = m_windows;
    if (const auto back = reader.goTo({}); !back.has_value())
        return back.error();
    std::vector<Windows::Position> positions{reader.position()};
    for (;;) {
        if (control.stopped())
            return cancelledError();
        const auto block = nextBlock(reader);
        if (!block.has_value())
            return block.error();
        if (block->empty())
            return positions;
        positions.push_back(reader.position());
    }
}

Result<SurveyedBlock> Survey::measureBlock(const Windows::Position& begin, const Control& control)
{
    const SurveyState state = m_state;
    const Windows::Position position = m_windows.position();
    std::vector<std::vector<Window>> block = std::exchange(m_block, {});
    std::vector<HeadSurvey> results = std::exchange(m_results, {});
    m_results.assign(m_heads.size(), HeadSurvey(m_options.places));
    const auto all = [&]() -> Result<SurveyedBlock> {
        if (const auto begun = resume({begin, 0, {}}, m_results); !begun.has_value())
            return begun.error();
        while (!blockDone())
            if (const auto more = step(control); !more.has_value())
                return more.error();
        return SurveyedBlock{std::move(m_results), m_state.measured};
    };
    auto measured = all();
    m_state = state;
    m_block = std::move(block);
    m_results = std::move(results);
    if (const auto back = m_windows.goTo(position); !back.has_value())
        return back.error();
    return measured;
}

Result<void> Survey::take(const SurveyedBlock& block)
{
    if (block.heads.size() != m_heads.size())
        return inputError("A measured block of texts has " + std::to_string(block.heads.size()) + " heads; expected "
                          + std::to_string(m_heads.size()) + ".");
    const auto filled = fillBlock();
    if (!filled.has_value())
        return filled.error();
    if (!*filled)
        return inputError("A measured block of texts is past the end of the texts.");
    for (std::size_t i = 0; i < m_results.size(); ++i)
        m_results[i].take(block.heads[i]);
    m_state.measured.take(block.measured);
    m_state.batches = m_block.size();
    return {};
}

} // namespace headscope::survey
