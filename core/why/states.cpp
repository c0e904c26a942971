// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/states.h"

#include <algorithm>

namespace headscope::why {

namespace {

/// Layers run up to a position and on from there with a state that may be another run's.
class HandOver
{
public:
    HandOver(const lm::Model& model, const lm::Edits& base, const Recording& into, const Recording& from)
        : m_model(model), m_base(base), m_into(into), m_from(from)
    {
    }

    // What the next layer reads behind the position, [1, T - position - 1, D]. `rest`: what this layer reads there.
    at::Tensor behind(const at::Tensor& rest, int layer, int position) const
    {
        lm::State state = stateAt(m_into, layer, position);
        const lm::State other = stateAt(m_from, layer, position);
        state.sites[{layer, Site::Ssm}] = other.sites.at({layer, Site::Ssm});
        return part(m_into, rest, layer, position + 1, state);
    }

private:
    lm::State stateAt(const Recording& run, int layer, int position) const
    {
        lm::State state;
        (void)part(run, run.streams[static_cast<std::size_t>(layer)].narrow(1, 0, position + 1), layer, 0, state);
        return state;
    }

    at::Tensor part(const Recording& run, const at::Tensor& stream, int layer, std::int64_t first,
                    lm::State& state) const
    {
        lm::Edits only;
        only.layerCount = m_base.layerCount;
        const LayerRun layers(m_model, m_base, run.embedding);
        if (const lm::LayerEdits edits = layers.edits(layer); !edits.empty())
            only.layers[layer] = edits;
        const lm::RunOptions options{.edits = &only, .state = &state};
        const at::Tensor out = m_model.runLayers(stream.contiguous(), layer, layer + 1,
                                                 run.embedding.narrow(1, first, stream.size(1)).contiguous(), options);
        return lm::steered(out, layer + 1 < m_base.layerCount ? m_base.find(layer + 1) : nullptr);
    }

    const lm::Model& m_model;
    const lm::Edits& m_base;
    const Recording& m_into;
    const Recording& m_from;
};

// What the layer behind `layer` reads: of `into` up to a position, then `rest`. The norm reads the last position alone.
at::Tensor before(const Recording& into, int layer, std::int64_t first, const at::Tensor& rest)
{
    return layer + 1 == into.layers()
               ? rest
               : at::cat({into.streams[static_cast<std::size_t>(layer) + 1].narrow(1, 0, first), rest}, 1);
}

Result<void> checkCell(const lm::Model& model, const lm::Edits& base, const Recording& into, const StateCell& cell)
{
    const std::vector<int> layers = layersWithState(model, base);
    if (std::find(layers.begin(), layers.end(), cell.layer) == layers.end())
        return inputError("Layer L" + std::to_string(cell.layer)
                          + " has no state to hand over; layers with SSM heads that run have one.");
    if (cell.position < 0 || cell.position + 1 >= into.length())
        return inputError("There is no state to hand over after position " + std::to_string(cell.position)
                          + "; expected 0 to " + std::to_string(into.length() - 2) + ".");
    const int past = model.spec().rotatedByLengthPast;
    if (past > 0 && into.length() > past
        && model.spec().layers[static_cast<std::size_t>(cell.layer)].find(Site::Attention))
        return inputError(
            "Layer L" + std::to_string(cell.layer) + " has attention too, and past " + std::to_string(past)
            + " tokens it turns each of them by the length of the whole text, which a text that stops at the "
              "state does not have; expected a text of at most "
            + std::to_string(past) + " tokens, or a layer without attention.");
    const lm::LayerEdits* edits = base.find(cell.layer);
    if (edits && (edits->ssm.touchesMatrix() || edits->ssm.byPosition() || edits->attention.byPosition()))
        return inputError(
            "Edits of entries and positions in layer L" + std::to_string(cell.layer)
            + " cannot be combined with a state handed over there; expected edits that hold at every position.");
    return {};
}

} // namespace

std::vector<int> layersWithState(const lm::Model& model, const lm::Edits& base)
{
    std::vector<int> layers;
    for (int layer = 0; layer < base.layerCount; ++layer) {
        const lm::LayerEdits* edits = base.find(layer);
        if (model.spec().layers[static_cast<std::size_t>(layer)].find(Site::Ssm)
            && !(edits && (edits->skip || edits->skipSsm)))
            layers.push_back(layer);
    }
    return layers;
}

Result<at::Tensor> handedOverLogits(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                    const Recording& from, const StateCell& cell, const Control& control)
{
    for (const auto& fits : {checkPair(into, from), checkCell(model, base, into, cell)})
        if (!fits.has_value())
            return fits.error();
    const at::Tensor& own = into.streams[static_cast<std::size_t>(cell.layer)];
    const std::int64_t first = cell.position + 1, count = into.length() - first;
    const at::Tensor rest =
        HandOver(model, base, into, from).behind(own.narrow(1, first, count), cell.layer, cell.position);
    const at::Tensor logits = LayerRun(model, base, into.embedding)
                                  .toLogits(before(into, cell.layer, first, rest), cell.layer + 1, control.stop);
    return logits.defined() ? Result<at::Tensor>(logits[0]) : Result<at::Tensor>(cancelledError());
}

Result<std::vector<double>> handedOverDifferences(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                                  const Recording& from, const Metric& metric,
                                                  std::span<const StateCell> cells, const Control& control)
{
    std::vector<double> values;
    for (const StateCell& cell : cells) {
        const auto logits = handedOverLogits(model, base, into, from, cell, control);
        if (!logits.has_value())
            return logits.error();
        values.push_back((*logits)[metric.answer].item<double>() - (*logits)[metric.distractor].item<double>());
        control.progress("handing states over", static_cast<std::int64_t>(values.size()),
                         static_cast<std::int64_t>(cells.size()));
    }
    return values;
}

Result<double> handedOverEverywhere(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                    const Recording& from, const Metric& metric, int position, const Control& control)
{
    if (const auto alike = checkPair(into, from); !alike.has_value())
        return alike.error();
    const std::vector<int> with = layersWithState(model, base);
    const HandOver handOver(model, base, into, from);
    const LayerRun layers(model, base, into.embedding);
    at::Tensor stream = into.streams.front();
    for (int layer = 0; layer < base.layerCount; ++layer) {
        if (control.stopped())
            return cancelledError();
        if (std::find(with.begin(), with.end(), layer) == with.end()) {
            stream = layers.step(stream, layer, layers.edits(layer));
            continue;
        }
        if (const auto fits = checkCell(model, base, into, {layer, position}); !fits.has_value())
            return fits.error();
        const std::int64_t first = position + 1, count = into.length() - first;
        const at::Tensor rest = handOver.behind(stream.narrow(1, first, count), layer, position);
        stream = before(into, layer, first, rest);
    }
    const at::Tensor logits = model.unembed(stream.narrow(1, stream.size(1) - 1, 1).contiguous())[0][0];
    return logits[metric.answer].item<double>() - logits[metric.distractor].item<double>();
}

} // namespace headscope::why
