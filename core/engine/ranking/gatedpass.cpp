// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ranking/gatedpass.h"

#include "core/lm/device/forecast.h"
#include "core/lm/device/transfer.h"

#include <ATen/core/grad_mode.h>

namespace headscope::engine {

std::vector<std::vector<GatePlace>> gatePlaces(const lm::ModelSpec& spec)
{
    std::vector<std::vector<GatePlace>> places;
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

std::int64_t graphBytes(const lm::ModelSpec& spec)
{
    std::int64_t bytes = 0;
    for (const lm::LayerSpec& layer : spec.layers)
        bytes += lm::graphBytes(spec, layer);
    return bytes;
}

GatedPass::GatedPass(const GatedBatch& batch, double opened, std::int64_t budget)
    : m_batch(batch), m_gated(batch.edits), m_stream(batch.embedding),
      m_keep(batch.embedding.size(0) * batch.embedding.size(1) * graphBytes(batch.model->spec()) <= budget)
{
    std::int64_t heads = 0;
    for (const auto& layer : *batch.places)
        for (const GatePlace& place : layer)
            heads += place.heads;
    m_gradients = at::zeros({batch.reading.gold.size(0), heads});
    for (int layer = 0; layer < m_gated.layerCount; ++layer) {
        const lm::LayerEdits* edits = batch.edits.find(layer);
        m_gates.push_back(edits && edits->skip ? std::vector<at::Tensor>() : addGates(layer, opened));
    }
}

bool GatedPass::step(const std::stop_token& stop)
{
    switch (m_phase) {
    case Phase::Forward: return forward(stop);
    case Phase::End: measureMargins(); return true;
    case Phase::Backward: return backward(stop);
    case Phase::Done: break;
    }
    return true;
}

bool GatedPass::forward(const std::stop_token& stop)
{
    if (m_layer < m_gated.layerCount) {
        const at::AutoGradMode withGraph(m_keep);
        const at::Tensor input = m_keep ? m_stream.detach().requires_grad_(true) : m_stream;
        const at::Tensor output = run(input, m_layer, stop);
        if (!output.defined())
            return false;
        m_inputs.push_back(input);
        m_outputs.push_back(m_keep ? output : at::Tensor());
        m_stream = output.detach();
        ++m_layer;
    }
    if (m_layer == m_gated.layerCount)
        m_phase = Phase::End;
    return true;
}

// The margin's gradient at the last stream.
void GatedPass::measureMargins()
{
    if (m_gated.layerCount == 0)
        m_stream = lm::gatherRows(m_stream, m_batch.reading.rows);
    const at::AutoGradMode withGraph(true);
    const at::Tensor input = m_stream.detach().requires_grad_(true);
    margins(m_batch.model->unembed(input), m_batch.reading).sum().backward();
    m_gradient = input.grad();
    m_stream.reset();
    m_phase = m_layer == 0 ? Phase::Done : Phase::Backward;
}

bool GatedPass::backward(const std::stop_token& stop)
{
    const auto l = static_cast<std::size_t>(m_layer - 1);
    const at::AutoGradMode withGraph(true);
    at::Tensor input = m_inputs[l], output = m_outputs[l];
    if (!m_keep) {
        input = input.detach().requires_grad_(true);
        output = run(input, m_layer - 1, stop);
        if (!output.defined())
            return false;
    }
    output.backward(m_gradient);
    m_gradient = input.grad();
    const auto& places = (*m_batch.places)[l];
    for (std::size_t i = 0; i < m_gates[l].size(); ++i)
        if (const at::Tensor grad = m_gates[l][i].grad(); grad.defined()) {
            const at::NoGradGuard noGrad;
            m_gradients.narrow(1, static_cast<std::int64_t>(places[i].first), places[i].heads)
                .add_(m_batch.reading.share.matmul(grad.view({-1, places[i].heads})).cpu());
        }
    m_inputs[l].reset();
    m_outputs[l].reset();
    m_gates[l].clear();
    if (--m_layer == 0)
        m_phase = Phase::Done;
    return true;
}

at::Tensor GatedPass::run(const at::Tensor& stream, int layer, const std::stop_token& stop) const
{
    lm::RunOptions options{
        .edits = &m_gated, .lastPositions = m_batch.reading.last, .tree = m_batch.tree.get(), .stop = stop};
    if (layer + 1 == m_gated.layerCount)
        options.rows = m_batch.reading.rows;
    return m_batch.model->runLayers(stream, layer, layer + 1, m_batch.embedding, options);
}

// One gate a text (or packed position) and head, so that every example gets its own gradient.
std::vector<at::Tensor> GatedPass::addGates(int layer, double opened)
{
    lm::LayerEdits& edits = m_gated.layers[layer];
    std::vector<at::Tensor> gates;
    for (const GatePlace& place : (*m_batch.places)[static_cast<std::size_t>(layer)]) {
        const at::AutoGradMode withGraph(true);
        std::vector<std::int64_t> shape{m_batch.embedding.size(0), place.heads};
        if (m_batch.tree)
            shape.insert(shape.begin() + 1, m_batch.embedding.size(1));
        const at::Device device = m_batch.model->device();
        gates.push_back(at::full(shape, opened, at::TensorOptions(at::kFloat).device(device)).requires_grad_(true));
        at::Tensor& scale = edits.site(place.site).scale;
        scale = scale.defined() ? gates.back() * lm::onDevice(scale, device) : gates.back();
    }
    return gates;
}

} // namespace headscope::engine
