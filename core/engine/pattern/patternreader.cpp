// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/pattern/patternreader.h"

#include "core/base/giveway.h"
#include "core/engine/tensors.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace headscope::engine {

using interventions::HeadRef;

Result<PatternReader> PatternReader::open(std::shared_ptr<const lm::Model> model, std::vector<int> ids,
                                          const PatternOptions& options, const lm::DonorLoader& donors,
                                          std::shared_ptr<StreamStore> streams)
{
    const at::NoGradGuard noGrad;
    if (const auto fits = checkPrompt(*model, ids, options.ablation); !fits.has_value())
        return fits.error();
    auto edits = lm::resolve(options.ablation, model->spec(), donors);
    if (!edits.has_value())
        return edits.error();
    PatternReader reader;
    reader.m_edits = std::make_shared<const lm::Edits>(std::move(*edits));
    reader.m_convention = options.convention;
    reader.m_streams = std::move(streams);
    reader.m_set = options.ablation;
    reader.m_embedding = reader.m_stream = model->embed(idTensor(*model, ids), {});
    reader.m_ids = std::move(ids);
    reader.m_model = std::move(model);
    return reader;
}

Result<void> PatternReader::choose(const std::vector<HeadRef>& heads, const Control& control)
{
    const at::NoGradGuard noGrad;
    std::vector<HeadRef> chosen;
    for (const HeadRef& head : heads) {
        const auto mixer = lm::findMixer(m_model->spec(), head);
        if (!mixer.has_value())
            return mixer.error();
        if (auto same = lm::checkSameHeads(*m_edits, m_model->spec(), head.layer); !same.has_value())
            return same;
        m_site = (*mixer)->site();
        for (int h = 0; h < (*mixer)->heads; ++h)
            if (head.head < 0 || head.head == h)
                chosen.push_back({head.layer, head.site, h});
    }
    if (chosen.empty())
        return inputError("No head was chosen; expected at least one.");
    const int layer = chosen.front().layer;
    if (layer >= m_edits->layerCount)
        return inputError("The layer of " + toText(chosen.front())
                          + " is not run under this ablation; it ends with layer L"
                          + std::to_string(m_edits->layerCount - 1) + ".");
    if (const auto there = goTo(layer, control); !there.has_value())
        return there;
    lm::Capture capture;
    lm::SiteCapture& site = capture.sites[{layer, m_site}];
    site.wantRows = site.matrixOnly = true;
    site.convention = m_convention;
    for (const HeadRef& head : chosen)
        site.heads.push_back(head.head);
    const at::Tensor stream = m_model->runLayers(m_stream, layer, layer + 1, m_embedding,
                                                 {.edits = m_edits.get(), .capture = &capture, .stop = control.stop});
    if (!stream.defined())
        return cancelledError();
    m_heads = std::move(chosen);
    m_rows = std::move(site.rows);
    return {};
}

Result<void> PatternReader::goTo(int layer, const Control& control)
{
    const at::NoGradGuard noGrad;
    const at::Tensor stream = streamBefore(std::min(layer, m_edits->layerCount), control);
    if (!stream.defined())
        return cancelledError();
    m_stream = stream;
    m_layer = std::min(layer, m_edits->layerCount);
    m_heads.clear();
    m_rows = nullptr;
    return {};
}

at::Tensor PatternReader::streamBefore(int layer, const Control& control) const
{
    const bool ahead = layer >= m_layer;
    StreamStore::Place place{ahead ? m_layer : 0, ahead ? m_stream : m_embedding};
    const lm::RunOptions options{.edits = m_edits.get(), .stop = control.stop};
    if (!m_streams)
        return m_model->runLayers(place.stream, place.layer, layer, m_embedding, options);
    if (auto kept = m_streams->nearest(m_ids, m_set, layer); kept.layer > place.layer)
        place = std::move(kept);
    while (place.layer < layer && place.stream.defined()) {
        place.stream = m_model->runLayers(place.stream, place.layer, place.layer + 1, m_embedding, options);
        ++place.layer;
        if (place.stream.defined())
            m_streams->keep(m_ids, m_set, place.layer, place.stream);
    }
    return place.stream;
}

Result<std::vector<Matrix>> PatternReader::rows(int first, int count, const Control& control) const
{
    std::vector<Matrix> result;
    const auto done = rows(first, count, control, result);
    return done.has_value() ? Result<std::vector<Matrix>>(std::move(result)) : done.error();
}

Result<void> PatternReader::rows(int first, int count, const Control& control, std::vector<Matrix>& into) const
{
    const at::NoGradGuard noGrad;
    if (first < 0 || count < 1 || first + count > tokens())
        return inputError("There are no rows " + std::to_string(first) + " to " + std::to_string(first + count - 1)
                          + "; the prompt has " + std::to_string(tokens()) + " tokens.");
    if (!m_rows)
        return inputError("The mixer of " + toText(m_heads.front())
                          + " is skipped under this ablation and has no pattern.");
    giveWay();
    if (control.stop.stop_requested())
        return cancelledError();
    into.resize(m_heads.size());
    const at::Tensor rows = m_rows(first, count).to(at::kCPU, at::kFloat)[0];
    for (std::size_t i = 0; i < into.size(); ++i) {
        if (into[i].rows != count || into[i].cols != tokens())
            into[i] = Matrix(count, tokens());
        const at::Tensor own = rows[static_cast<std::int64_t>(i)].contiguous();
        std::copy_n(own.data_ptr<float>(), into[i].values.size(), into[i].values.begin());
    }
    return {};
}

} // namespace headscope::engine
