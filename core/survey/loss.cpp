// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/survey/loss.h"

#include "core/lm/device/transfer.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace headscope::survey {

using lm::Site;

namespace {

constexpr std::int64_t kRunNumbers = std::int64_t{1} << 22;   // of the stream of all runs of a batch
constexpr std::int64_t kLogitNumbers = std::int64_t{1} << 24; // that are made at one time
constexpr std::size_t kMostBatch = 16;
constexpr std::size_t kMostHeads = 64;

// Losses of the tokens behind the first, [N, T - 1]. stream: [N, T, D]; ids: [B, T] with N a multiple of B.
at::Tensor lossesOf(const lm::Model& model, const at::Tensor& stream, const at::Tensor& ids)
{
    const std::int64_t length = ids.size(1);
    const std::int64_t step = std::max<std::int64_t>(kLogitNumbers / (length * model.spec().vocabulary), 1);
    std::vector<at::Tensor> losses;
    for (std::int64_t first = 0; first < stream.size(0); first += step) {
        const std::int64_t count = std::min(step, stream.size(0) - first);
        const at::Tensor logits = model.unembed(stream.narrow(0, first, count).narrow(1, 0, length - 1).contiguous());
        const at::Tensor rows =
            at::arange(first, first + count, at::TensorOptions(at::kLong).device(ids.device())).remainder(ids.size(0));
        const at::Tensor targets = ids.index_select(0, rows).narrow(1, 1, length - 1).unsqueeze(2);
        losses.push_back(at::logsumexp(logits, {2}) - logits.gather(2, targets).squeeze(2));
    }
    return at::cat(losses).to(at::kCPU, at::kFloat).contiguous();
}

// The layer's edits with the runs of `heads` each without its own: rows of the batch are runs, then windows.
lm::LayerEdits without(lm::LayerEdits edits, const std::vector<HeadLoss>& heads, const std::vector<std::size_t>& runs,
                       int layer, const lm::LayerSpec& spec, std::int64_t windows, const at::Device& device)
{
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const SurveyedHead& head = heads[runs[run]].head;
        if (head.layer != layer)
            continue;
        lm::SiteEdits& site = edits.site(head.site);
        const std::int64_t count = spec.find(head.site)->heads;
        const auto all = static_cast<std::int64_t>(runs.size() + 1) * windows;
        if (!site.scale.defined())
            site.scale = at::ones({all, count}, at::TensorOptions(at::kFloat).device(device));
        else if (site.scale.dim() == 1)
            site.scale = site.scale.to(device).expand({all, count}).clone();
        site.scale.narrow(0, static_cast<std::int64_t>(run + 1) * windows, windows).select(1, head.head).zero_();
    }
    return edits;
}

} // namespace

const char* name(TokenGroup group)
{
    constexpr std::array<const char*, kTokenGroups> kNames = {"all",    "new",  "repeated", "continued", "early",
                                                              "middle", "late", "frequent", "usual",     "rare"};
    return kNames[static_cast<std::size_t>(group)];
}

void ClusteredMean::add(double sum, std::int64_t count)
{
    if (count == 0)
        return;
    const auto n = static_cast<double>(count);
    ++m_windows;
    m_count += count;
    m_sum += sum;
    m_sumSquares += sum * sum;
    m_products += sum * n;
    m_countSquares += n * n;
}

std::optional<analysis::Interval> ClusteredMean::interval() const
{
    if (m_windows < 2)
        return std::nullopt;
    const double mean = this->mean(), windows = static_cast<double>(m_windows), n = static_cast<double>(m_count);
    const double residuals = m_sumSquares - 2 * mean * m_products + mean * mean * m_countSquares;
    const double error = std::sqrt(std::max(residuals, 0.0) * windows / (windows - 1)) / n;
    const analysis::Interval interval = analysis::meanInterval(mean, error, m_windows);
    return interval.known() ? std::optional(interval) : std::nullopt;
}

Result<LossSurvey> LossSurvey::make(std::shared_ptr<const lm::Model> model, lm::Edits base, Windows windows,
                                    std::vector<interventions::HeadRef> heads, int top, const Control& control)
{
    if (heads.empty())
        return inputError("No head is named whose loss is to be measured; expected one such as L2H5.");
    auto chosen = Survey::make(model, base, windows, {.places = {0, 0}, .heads = std::move(heads)});
    if (!chosen.has_value())
        return chosen.error();
    if (chosen->heads().size() > kMostHeads)
        return inputError("The loss without " + std::to_string(chosen->heads().size())
                          + " heads was requested; expected at most 64 in one run.");
    LossSurvey survey(std::move(model), std::move(base), std::move(windows));
    for (const SurveyedHead& head : chosen->heads())
        survey.m_results.push_back({head, {}, TopPlaces(top)});
    if (const auto counted = survey.countTokens(control); !counted.has_value())
        return counted.error();
    return survey;
}

Result<void> LossSurvey::countTokens(const Control& control)
{
    std::vector<std::int64_t> counts(static_cast<std::size_t>(m_model->spec().vocabulary));
    Windows windows = m_windows;
    for (;;) {
        if (control.stopped())
            return cancelledError();
        const auto window = windows.next();
        if (!window.has_value())
            return window.error();
        if (!window->has_value())
            break;
        for (const int id : (*window)->facts.ids) {
            if (id < 0 || std::cmp_greater_equal(id, counts.size()))
                return inputError("The tokenizer returned the id " + std::to_string(id) + "; the model has tokens 0 to "
                                  + std::to_string(counts.size() - 1) + ".");
            ++counts[static_cast<std::size_t>(id)];
        }
    }
    std::vector<int> order(counts.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return counts[static_cast<std::size_t>(a)] > counts[static_cast<std::size_t>(b)];
    });
    m_rank.resize(counts.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        m_rank[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    return {};
}

at::Tensor LossSurvey::lossesOf(const std::vector<Window>& windows, const Control& control) const
{
    std::vector<std::int64_t> values;
    for (const Window& window : windows)
        values.insert(values.end(), window.facts.ids.begin(), window.facts.ids.end());
    const auto count = static_cast<std::int64_t>(windows.size());
    const at::Tensor ids = lm::onDevice(at::tensor(values, at::kLong).view({count, -1}), m_model->device());
    const at::Tensor embedding = m_model->embed(ids, {});
    at::Tensor stream = lm::steered(embedding, m_base.find(0));
    const why::LayerRun layers(*m_model, m_base, embedding);
    // A run without a head is the clean one up to the head's layer, and joins the batch there.
    std::vector<std::size_t> runs;
    for (int layer = 0; layer < m_base.layerCount; ++layer) {
        if (control.stopped())
            return {};
        std::vector<at::Tensor> parts{stream};
        for (std::size_t i = 0; i < m_results.size(); ++i)
            if (m_results[i].head.layer == layer) {
                runs.push_back(i);
                parts.push_back(stream.narrow(0, 0, count));
            }
        stream = parts.size() > 1 ? at::cat(parts) : stream;
        const lm::LayerEdits edits =
            without(layers.edits(layer), m_results, runs, layer,
                    m_model->spec().layers[static_cast<std::size_t>(layer)], count, m_model->device());
        const auto copies = static_cast<std::int64_t>(runs.size() + 1);
        stream = layers.with(embedding.repeat({copies, 1, 1})).step(stream, layer, edits);
    }
    return survey::lossesOf(*m_model, stream, ids); // runs are in the order of heads, which are in that of layers
}

std::array<bool, kTokenGroups> LossSurvey::groupsOf(const WindowFacts& facts, int position) const
{
    const auto id = [&facts](int t) { return facts.ids[static_cast<std::size_t>(t)]; };
    bool repeated = false, continued = false;
    for (int s = facts.earlier[static_cast<std::size_t>(position)]; s >= 0;
         s = facts.earlier[static_cast<std::size_t>(s)]) {
        repeated = true;
        continued = continued || (s > 0 && id(s - 1) == id(position - 1));
    }
    const int rank = m_rank[static_cast<std::size_t>(id(position))];
    return {
        true,           !repeated, repeated && !continued,   continued,  position < 16, position >= 16 && position < 64,
        position >= 64, rank < 10, rank >= 10 && rank < 100, rank >= 100};
}

void LossSurvey::count(const Window& window, const float* before, const std::vector<const float*>& without)
{
    struct Sums {
        double before = 0, change = 0;
        std::int64_t count = 0;
    };
    const auto length = static_cast<int>(window.facts.ids.size());
    std::vector<std::array<bool, kTokenGroups>> groups;
    for (int t = 1; t < length; ++t)
        groups.push_back(groupsOf(window.facts, t));
    for (std::size_t i = 0; i < m_results.size(); ++i) {
        std::array<Sums, kTokenGroups> sums{};
        for (int t = 1; t < length; ++t) {
            const float rise = without[i][t - 1] - before[t - 1];
            const Place place{rise, window.piece, window.number, static_cast<std::uint32_t>(t), {}};
            if (rise > 0 && m_results[i].rises.wants(place))
                m_results[i].rises.add(place);
            for (std::size_t g = 0; g < kTokenGroups; ++g)
                if (groups[static_cast<std::size_t>(t - 1)][g]) {
                    sums[g].before += static_cast<double>(before[t - 1]);
                    sums[g].change += static_cast<double>(rise);
                    ++sums[g].count;
                }
        }
        for (std::size_t g = 0; g < kTokenGroups; ++g) {
            m_results[i].groups[g].before.add(sums[g].before, sums[g].count);
            m_results[i].groups[g].change.add(sums[g].change, sums[g].count);
        }
    }
    m_measured.add(window, m_windows.options());
}

Result<void> LossSurvey::fillBatch()
{
    const auto room = static_cast<std::size_t>(std::max<std::int64_t>(
        kRunNumbers
            / (static_cast<std::int64_t>(m_results.size() + 1) * m_windows.options().length * m_model->spec().hidden),
        1));
    while (m_batch.size() < std::min(room, kMostBatch)) {
        if (!m_next) {
            auto window = m_windows.next();
            if (!window.has_value())
                return window.error();
            if (!window->has_value())
                break;
            m_next = std::move(**window);
        }
        if (!m_batch.empty() && m_batch.front().facts.ids.size() != m_next->facts.ids.size())
            break; // the next batch begins with it
        m_batch.push_back(std::move(*m_next));
        m_next.reset();
    }
    return {};
}

Result<bool> LossSurvey::step(const Control& control)
{
    const at::NoGradGuard noGrad;
    if (m_batch.empty())
        if (const auto filled = fillBatch(); !filled.has_value())
            return filled.error();
    if (m_batch.empty())
        return false;
    const at::Tensor losses = lossesOf(m_batch, control);
    if (!losses.defined())
        return cancelledError();
    const std::vector<Window> windows = std::exchange(m_batch, {});
    const float* const values = losses.const_data_ptr<float>();
    const auto width = static_cast<std::size_t>(losses.size(1));
    for (std::size_t w = 0; w < windows.size(); ++w) {
        std::vector<const float*> without;
        for (std::size_t i = 0; i < m_results.size(); ++i)
            without.push_back(values + ((i + 1) * windows.size() + w) * width);
        count(windows[w], values + w * width, without);
    }
    return true;
}

} // namespace headscope::survey
