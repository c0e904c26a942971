// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/recording.h"

#include "core/lm/device/transfer.h"
#include "core/why/cost.h"

#include <algorithm>
#include <iterator>

namespace headscope::why {

namespace {

// The last position of each text, [B, 1].
at::Tensor lastOf(const at::Tensor& stream)
{
    return at::full({stream.size(0), 1}, stream.size(1) - 1,
                    at::TensorOptions().dtype(at::kLong).device(stream.device()));
}

} // namespace

double Recording::difference(const Metric& metric) const
{
    return logits[metric.answer].item<double>() - logits[metric.distractor].item<double>();
}

int mostProbable(const Recording& run, const std::vector<int>& among, int besides)
{
    const at::Tensor host = run.logits.cpu().contiguous();
    const float* const logits = host.data_ptr<float>();
    int best = -1;
    const auto see = [&](int token) {
        if (token != besides && (best < 0 || logits[token] > logits[best]))
            best = token;
    };
    for (const int token : among)
        see(token);
    for (int token = 0; among.empty() && token < static_cast<int>(host.numel()); ++token)
        see(token);
    return best;
}

Result<void> check(const Metric& metric, const lm::Model& model)
{
    for (const int token : {metric.answer, metric.distractor})
        if (token < 0 || token >= model.spec().vocabulary)
            return inputError("There is no token " + std::to_string(token) + "; expected 0 to "
                              + std::to_string(model.spec().vocabulary - 1) + ".");
    if (metric.answer == metric.distractor)
        return inputError("Answer and distractor are the same token " + std::to_string(metric.answer)
                          + "; expected two different ones.");
    return {};
}

Result<at::Tensor> tokensOf(const lm::Model& model, const std::vector<int>& ids)
{
    if (ids.empty())
        return inputError("The prompt has no tokens; expected at least one.");
    const auto length = static_cast<std::int64_t>(ids.size());
    if (model.spec().endsThere && length > model.spec().maxPositions)
        return inputError("The prompt has " + std::to_string(length) + " tokens; the model allows "
                          + std::to_string(model.spec().maxPositions) + ".");
    for (const int id : ids)
        if (id < 0 || id >= model.spec().vocabulary)
            return inputError("The prompt contains the id " + std::to_string(id) + "; expected 0 to "
                              + std::to_string(model.spec().vocabulary - 1) + ".");
    return lm::onDevice(at::tensor(std::vector<std::int64_t>(ids.begin(), ids.end()), at::kLong).unsqueeze(0),
                        model.device());
}

Result<void> checkLengths(std::int64_t clean, std::int64_t corrupt)
{
    if (clean != corrupt)
        return inputError("The prompts have " + std::to_string(clean) + " and " + std::to_string(corrupt)
                          + " tokens; expected equal lengths, so that positions correspond.");
    return {};
}

namespace {

// Prompts of one length side by side. lastOnly: to be patched, so of the last stream only the last position.
Result<std::vector<Recording>> recordRuns(const lm::Model& model, std::span<const std::vector<int>> prompts,
                                          const lm::Edits& base, bool lastOnly, const Control& control)
{
    std::vector<at::Tensor> rows;
    for (const std::vector<int>& ids : prompts) {
        const auto tokens = tokensOf(model, ids);
        if (!tokens.has_value())
            return tokens.error();
        if (const auto alike = checkLengths(std::ssize(prompts.front()), std::ssize(ids)); !alike.has_value())
            return alike.error();
        rows.push_back(*tokens);
    }
    const std::int64_t length = std::ssize(prompts.front()), cells = lastOnly ? cellsAtOnce(model, length) : 1;
    const Cost cost = costOf(model, length, static_cast<int>(prompts.size()), cells);
    if (const auto fits = checkFits(model, cost); !fits.has_value())
        return fits.error();
    lm::Capture capture;
    capture.residual = true;
    for (int layer = 0; layer < base.layerCount; ++layer)
        for (const lm::MixerSpec& mixer : model.spec().layers[static_cast<std::size_t>(layer)].mixers)
            capture.sites[{layer, mixer.site()}].wantZ = true;
    const at::Tensor ids = at::cat(rows);
    lm::RunOptions options{.edits = &base, .capture = &capture, .stop = control.stop};
    const at::Tensor embedding = model.embed(ids, options);
    if (lastOnly)
        options.rows = lastOf(embedding);
    const at::Tensor last = model.runLayers(embedding, 0, base.layerCount, embedding, options);
    if (!last.defined())
        return cancelledError();
    const at::Tensor logits = model.unembed(last.narrow(1, last.size(1) - 1, 1)).select(1, 0);
    std::vector<Recording> runs;
    for (std::int64_t i = 0; i < ids.size(0); ++i) {
        const auto own = [i](const at::Tensor& x) { return x.narrow(0, i, 1); };
        Recording run{.ids = own(ids), .embedding = own(embedding), .streams = {}, .z = {}, .logits = logits[i]};
        std::transform(capture.residuals.begin(), capture.residuals.end(), std::back_inserter(run.streams), own);
        for (const auto& [where, site] : capture.sites)
            if (site.z.defined())
                run.z[where] = own(site.z);
        runs.push_back(std::move(run));
    }
    return runs;
}

} // namespace

Result<Recording> record(const lm::Model& model, const std::vector<int>& ids, const lm::Edits& base,
                         const Control& control)
{
    auto runs = recordRuns(model, std::span(&ids, 1), base, false, control);
    return runs.has_value() ? Result<Recording>(std::move(runs->front())) : Result<Recording>(runs.error());
}

Result<std::vector<Recording>> recordToPatch(const lm::Model& model, std::span<const std::vector<int>> prompts,
                                             const lm::Edits& base, const Control& control)
{
    return recordRuns(model, prompts, base, true, control);
}

lm::LayerEdits LayerRun::edits(int layer) const
{
    const lm::LayerEdits* own = m_base->find(layer);
    lm::LayerEdits edits = own ? *own : lm::LayerEdits();
    edits.steer = at::Tensor();
    edits.exchanges.clear();
    return edits;
}

const lm::Block& LayerRun::block(int layer) const
{
    const lm::LayerEdits* own = m_base->find(layer);
    const lm::Model& model = own && own->donor ? *own->donor : *m_model;
    return *model.parts().blocks[static_cast<std::size_t>(layer)];
}

at::Tensor LayerRun::embeddingFor(const at::Tensor& stream) const
{
    return m_embedding.size(0) == stream.size(0) ? m_embedding : m_embedding.expand({stream.size(0), -1, -1});
}

at::Tensor LayerRun::plain(const at::Tensor& stream, int layer, const lm::LayerEdits& edits,
                           lm::RunOptions options) const
{
    lm::Edits only;
    only.layerCount = m_base->layerCount;
    if (!edits.empty())
        only.layers[layer] = edits;
    options.edits = &only;
    return m_model->runLayers(stream, layer, layer + 1, embeddingFor(stream), options);
}

at::Tensor LayerRun::step(const at::Tensor& stream, int layer, const lm::LayerEdits& edits, lm::Capture* capture,
                          const at::Tensor& added) const
{
    const at::Tensor written = plain(stream, layer, edits, {.capture = capture});
    return steered(added.defined() ? written + added : written, layer + 1);
}

// A stream as the layer reads it.
at::Tensor LayerRun::steered(const at::Tensor& stream, int layer) const
{
    return lm::steered(stream, layer < m_base->layerCount ? m_base->find(layer) : nullptr);
}

at::Tensor LayerRun::stepToLogits(const at::Tensor& stream, int layer, const lm::LayerEdits& edits) const
{
    if (layer + 1 < m_base->layerCount)
        return step(stream, layer, edits);
    return plain(stream, layer, edits, {.rows = lastOf(stream)});
}

at::Tensor LayerRun::headsToLogits(const at::Tensor& stream, const at::Tensor& z, int layer) const
{
    const bool last = layer + 1 == m_base->layerCount;
    const lm::LayerEdits edits = this->edits(layer);
    const lm::BatchShape batch{0, {}, last ? lastOf(stream) : at::Tensor(), stream.size(1), nullptr};
    lm::BlockCall call{
        .batch = batch, .edits = &edits, .embedding = embeddingFor(stream), .rowsOnly = last, .heads = z};
    return steered(block(layer).forward(stream, call), layer + 1);
}

at::Tensor LayerRun::behindMixer(const at::Tensor& stream, int layer, lm::LayerEdits edits, lm::Capture* capture) const
{
    edits.skipMlp = block(layer).mlpWrites() || edits.skipMlp;
    return plain(stream, layer, edits, {.capture = capture});
}

at::Tensor LayerRun::mlpWrite(const at::Tensor& stream, int layer, const lm::LayerEdits& edits) const
{
    return plain(stream, layer, edits, {}) - behindMixer(stream, layer, edits);
}

at::Tensor LayerRun::mlpOf(const at::Tensor& stream, int layer) const
{
    lm::LayerEdits edits = this->edits(layer);
    if (edits.skip || edits.skipMlp)
        return at::zeros_like(stream);
    edits.skipAttention = edits.skipSsm = true;
    return plain(stream, layer, edits, {}) - stream;
}

at::Tensor LayerRun::rerouted(const at::Tensor& stream, int layer, const lm::LayerEdits& edits,
                              const lm::OtherInput& other) const
{
    const lm::BatchShape batch{0, {}, {}, stream.size(1), nullptr};
    lm::SiteCapture kept;
    kept.wantZ = true;
    lm::BlockCall call{.batch = batch, .edits = &edits, .embedding = embeddingFor(stream), .other = other};
    (other.site == Site::Attention ? call.attention : call.ssm) = &kept;
    (void)block(layer).forward(stream, call);
    return kept.z;
}

at::Tensor LayerRun::toLogits(at::Tensor stream, int layer, const std::stop_token& stop) const
{
    for (; layer < m_base->layerCount; ++layer) {
        if (stop.stop_requested())
            return {};
        stream = stepToLogits(stream, layer, edits(layer));
    }
    return m_model->unembed(stream.narrow(1, stream.size(1) - 1, 1).contiguous()).select(1, 0);
}

} // namespace headscope::why
