// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/model.h"

#include "core/base/giveway.h"
#include "core/lm/weights/packedweight.h"

#include <cmath>
#include <stdexcept>

namespace headscope::lm {

namespace {

// The D columns of a stream, without those that are carried beside it.
at::Tensor streamOf(const ModelParts& parts, const at::Tensor& wide)
{
    return wide.size(-1) == parts.spec.hidden ? wide : wide.narrow(-1, 0, parts.spec.hidden).contiguous();
}

// Model::runLayers(), which may end with Ended.
at::Tensor runEach(const ModelParts& parts, at::Tensor stream, int first, int last, const at::Tensor& embedding,
                   const RunOptions& options)
{
    const std::int64_t length = stream.size(1);
    if (first == 0)
        stream = streamOf(parts, stream);
    BatchShape batch{options.state ? options.state->length : 0, options.lastPositions, options.rows, length,
                     options.tree};
    for (int layer = first; layer < last; ++layer) {
        giveWay();
        if (options.stop.stop_requested())
            return {};
        const LayerEdits* edits = options.edits ? options.edits->find(layer) : nullptr;
        stream = steered(stream, edits);
        if (options.capture && options.capture->residual)
            options.capture->residuals.push_back(stream);
        const bool rowsOnly = options.rows.defined() && layer + 1 == last;
        if (edits && edits->skip) {
            stream = parts.blocks[static_cast<std::size_t>(layer)]->skipped(stream);
            if (rowsOnly)
                stream = gatherRows(stream, options.rows);
            continue;
        }
        const auto& blocks = edits && edits->donor ? edits->donor->parts().blocks : parts.blocks;
        const auto& block = blocks[static_cast<std::size_t>(layer)];
        BlockCall call{.batch = batch, .edits = edits, .embedding = embedding, .rowsOnly = rowsOnly};
        if (options.capture) {
            auto& sites = options.capture->sites; // by the heads of the spec
            const bool same = !edits || checkSameHeads(*options.edits, parts.spec, layer).has_value();
            if (const auto it = sites.find({layer, Site::Attention}); same && it != sites.end())
                call.attention = &it->second;
            if (const auto it = sites.find({layer, Site::Ssm}); same && it != sites.end())
                call.ssm = &it->second;
            if (options.capture->wantChoices && block->experts() && !call.skipsMlp())
                call.choices = &options.capture->choices[layer];
        }
        if (options.state) {
            call.attentionState = &options.state->sites[{layer, Site::Attention}];
            call.ssmState = &options.state->sites[{layer, Site::Ssm}];
        }
        LayerActivations* keep = nullptr;
        if (options.activations)
            if (const auto it = options.activations->find(layer); it != options.activations->end())
                call.activations = keep = &it->second;
        if (options.graphs && !edits && !options.capture && !options.state && !keep && block->isRecordable())
            stream = options.graphs->run(
                layer, rowsOnly, stream, [block, batch, embedding, rowsOnly](const at::Tensor& before) {
                    BlockCall own{.batch = batch, .embedding = embedding, .rowsOnly = rowsOnly};
                    return block->forward(before, own);
                });
        else
            stream = block->forward(stream, call);
        if (parts.afterLayer)
            parts.afterLayer();
        if (keep && !keep->stream.defined())
            keep->stream = stream;
    }
    if (options.capture && options.capture->residual)
        options.capture->residuals.push_back(stream);
    if (options.state)
        options.state->length += length;
    return stream;
}

} // namespace

at::Tensor PerLayerEmbedding::operator()(const at::Tensor& ids, const at::Tensor& stream) const
{
    const double root = std::sqrt(static_cast<double>(width));
    const at::Tensor inTable = at::where(ids < table.size(0), ids, 0); // Gemma 3n's has fewer rows
    const at::Tensor ofToken =
        (rowsOf(table, inTable) * at::scalar_tensor(root, stream.options())).unflatten(-1, {-1, width});
    const at::Tensor projected = projection(stream) * (1.0 / std::sqrt(static_cast<double>(stream.size(-1))));
    return ((norm(projected.unflatten(-1, {-1, width})) + ofToken) * std::sqrt(0.5)).flatten(-2);
}

std::vector<at::Device> Model::devices() const
{
    std::vector<at::Device> all{device()};
    for (const PlacedLayers& part : m_p.placement)
        if (part.device != device() && part.first < part.last)
            all.push_back(part.device);
    return all;
}

at::Tensor Model::tokenRows(const at::Tensor& ids) const
{
    return m_p.embeddingNorm(rowsOf(m_p.embedding, ids));
}

at::Tensor Model::embed(const at::Tensor& ids, const RunOptions& options) const
{
    at::Tensor stream = tokenRows(ids);
    if (m_p.embeddingMultiplier != 1.0) // the multiplier is rounded to the run's dtype, as the references do
        stream = stream * at::scalar_tensor(m_p.embeddingMultiplier, stream.options());
    if (const bool table = m_p.positionEmbedding.defined(); table || m_p.spec.endsThere) {
        const std::int64_t offset = options.state ? options.state->length : 0;
        const std::int64_t length = options.tree ? options.tree->onHost().longest() : offset + ids.size(1);
        const std::int64_t longest = table ? m_p.positionEmbedding.size(0) : m_p.spec.maxPositions;
        if (length > longest)
            throw std::runtime_error("The text has " + std::to_string(length) + " tokens; the model allows "
                                     + std::to_string(longest) + ".");
        if (table)
            stream = stream
                     + (options.tree ? m_p.positionEmbedding.index_select(0, options.tree->positions())
                                     : m_p.positionEmbedding.narrow(0, offset, ids.size(1)));
    }
    if (m_p.perLayer.table.defined())
        stream = at::cat({stream, m_p.perLayer(ids, stream)}, -1);
    return m_p.streamInFp32 ? stream.to(at::kFloat) : stream;
}

at::Tensor Model::runLayers(at::Tensor stream, int first, int last, const at::Tensor& embedding,
                            const RunOptions& options) const
{
    const EndsInside stoppable(options.stop);
    try {
        return runEach(m_p, std::move(stream), first, last, embedding, options);
    } catch (const Ended&) {
        return {};
    }
}

std::vector<std::int64_t> Model::streamColumns() const
{
    std::vector<std::int64_t> columns{m_p.spec.hidden};
    for (const auto& block : m_p.blocks)
        columns.push_back(block->columnsBehind(columns.back()));
    return columns;
}

bool Model::canResume(int layer, const LayerEdits* edits) const
{
    return m_p.blocks[static_cast<std::size_t>(layer)]->canResume(edits);
}

at::Tensor Model::resume(int layer, const LayerActivations& kept, const LayerEdits* edits) const
{
    return kept.z.defined() ? m_p.blocks[static_cast<std::size_t>(layer)]->resume(kept, edits) : kept.stream;
}

at::Tensor Model::unembed(const at::Tensor& stream) const
{
    const at::Tensor normed = m_p.finalNorm(streamOf(m_p, stream));
    at::Tensor logits = m_p.head(normed.to(m_p.head.weight.scalar_type())).to(at::kFloat);
    if (m_p.logitMultiplier != 1.0)
        logits = logits * m_p.logitMultiplier;
    if (m_p.logitSoftCap > 0)
        logits = at::tanh(logits / m_p.logitSoftCap) * m_p.logitSoftCap;
    return logits;
}

at::Tensor Model::logits(const at::Tensor& ids, const RunOptions& options) const
{
    const at::Tensor embedding = embed(ids, options);
    const int layers = options.edits ? options.edits->layerCount : static_cast<int>(m_p.blocks.size());
    const at::Tensor stream = runLayers(embedding, 0, layers, embedding, options);
    return stream.defined() ? unembed(stream) : at::Tensor();
}

} // namespace headscope::lm
