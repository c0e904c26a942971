// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/device/placement.h"

#include "core/lm/device/device.h"
#include "core/lm/device/forecast.h"
#include "core/lm/device/transfer.h"
#include "core/lm/load.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace headscope::lm {

namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

/// A layer whose weights lie on another device than the model's: its inputs are moved there, its results and what is
/// kept of it come back. The states of a text that is continued stay with the layer.
class PlacedBlock final : public Block
{
public:
    PlacedBlock(std::shared_ptr<const Block> block, at::Device there, at::Device home)
        : m_block(std::move(block)), m_there(there), m_home(home)
    {
    }

    [[nodiscard]] at::Tensor forward(const at::Tensor& stream, BlockCall& call) const override
    {
        const BatchShape batch{call.batch.offset, there(call.batch.lastPositions), there(call.batch.rows),
                               call.batch.length, call.batch.tree ? &call.batch.tree->on(m_there) : nullptr};
        const LayerEdits edits = call.edits ? there(*call.edits) : LayerEdits();
        BlockCall own{.batch = batch,
                      .edits = call.edits ? &edits : nullptr,
                      .attention = call.attention,
                      .ssm = call.ssm,
                      .attentionState = call.attentionState,
                      .ssmState = call.ssmState,
                      .embedding = there(call.embedding),
                      .rowsOnly = call.rowsOnly,
                      .activations = call.activations,
                      .other = {there(call.other.stream), call.other.site, call.other.parts},
                      .heads = there(call.heads),
                      .choices = call.choices};
        const at::Tensor behind = m_block->forward(there(stream), own);
        for (SiteCapture* capture : {call.attention, call.ssm})
            if (capture)
                bringHome(*capture);
        if (call.activations)
            *call.activations = {home(call.activations->stream), home(call.activations->z)};
        if (call.choices)
            *call.choices = {home(call.choices->experts), home(call.choices->weights), home(call.choices->shared)};
        return home(behind);
    }
    [[nodiscard]] HeadsAlong headsAlong(const HeadOutputs& z, const at::Tensor& direction) const override
    {
        const HeadsAlong seen = m_block->headsAlong({there(z.attention), there(z.ssm)}, there(direction));
        return {{home(seen.along.attention), home(seen.along.ssm)}, home(seen.constant)};
    }
    [[nodiscard]] SiteReader reader(Site site) const override { return m_block->reader(site); }
    [[nodiscard]] unsigned inputParts(Site site) const override { return m_block->inputParts(site); }
    [[nodiscard]] bool writes(Site site) const override { return m_block->writes(site); }
    [[nodiscard]] bool acceptsHeads() const override { return m_block->acceptsHeads(); }
    [[nodiscard]] bool mlpBesideMixer() const override { return m_block->mlpBesideMixer(); }
    [[nodiscard]] bool mlpWrites() const override { return m_block->mlpWrites(); }
    [[nodiscard]] bool canResume(const LayerEdits* edits) const override { return m_block->canResume(edits); }
    [[nodiscard]] const Experts* experts() const override { return m_block->experts(); }
    [[nodiscard]] at::Tensor resume(const LayerActivations& kept, const LayerEdits* edits) const override
    {
        const LayerEdits own = edits ? there(*edits) : LayerEdits();
        return home(m_block->resume({there(kept.stream), there(kept.z)}, edits ? &own : nullptr));
    }
    [[nodiscard]] at::Tensor skipped(const at::Tensor& stream) const override
    {
        return home(m_block->skipped(there(stream)));
    }
    [[nodiscard]] std::int64_t columnsBehind(std::int64_t before) const override
    {
        return m_block->columnsBehind(before);
    }
    [[nodiscard]] bool addsToStream() const override { return m_block->addsToStream(); }
    [[nodiscard]] bool isRecordable() const override { return false; }

private:
    [[nodiscard]] static at::Tensor moved(const at::Tensor& tensor, const at::Device& device)
    {
        return tensor.defined() ? onDevice(tensor, device) : tensor;
    }
    [[nodiscard]] at::Tensor there(const at::Tensor& tensor) const { return moved(tensor, m_there); }
    [[nodiscard]] at::Tensor home(const at::Tensor& tensor) const { return moved(tensor, m_home); }
    // What lies on the host is brought there when it is used.
    [[nodiscard]] LayerEdits there(LayerEdits edits) const
    {
        for (SiteEdits* site : {&edits.attention, &edits.ssm}) {
            site->patch = {there(site->patch.value), there(site->patch.where)};
            for (ReplaceHead& replace : site->replace)
                replace.value = there(replace.value);
        }
        return edits;
    }
    void bringHome(SiteCapture& capture) const
    {
        for (at::Tensor* out :
             {&capture.matrix, &capture.values, &capture.outputs, &capture.gain, &capture.beside, &capture.z})
            *out = home(*out);
        if (capture.rows)
            capture.rows = [rows = std::move(capture.rows), to = m_home](std::int64_t first, std::int64_t count) {
                return moved(rows(first, count), to);
            };
    }

    std::shared_ptr<const Block> m_block;
    at::Device m_there, m_home;
};

/// What a text keeps in each layer.
std::int64_t keptByLayer(const ModelSpec& spec, at::ScalarType dtype)
{
    return cacheBytes(spec, kForecastLength, dtype)
           / static_cast<std::int64_t>(std::max<std::size_t>(spec.layers.size(), 1));
}

/// What a run over a text takes on each device that it passes through.
std::int64_t passingThrough(const ModelSpec& spec, at::ScalarType dtype)
{
    return forecast(spec, 0, kForecastLength, dtype).activations;
}

/// Layers behind each other on each device until it has as many bytes as it may; nothing where some are left over.
std::optional<std::vector<PlacedLayers>> filled(const std::vector<at::Device>& devices, const WeightSizes& sizes,
                                                std::int64_t kept, const std::vector<std::int64_t>& most)
{
    std::vector<PlacedLayers> all;
    const int count = static_cast<int>(sizes.layers.size());
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const int first = all.empty() ? 0 : all.back().last;
        PlacedLayers part{devices[i], first, first, i == 0 ? sizes.rest : 0};
        for (std::int64_t taken = part.bytes; part.last < count; ++part.last) {
            const std::int64_t layer = sizes.layers[static_cast<std::size_t>(part.last)];
            taken += layer + kept;
            if (taken > most[i])
                break;
            part.bytes += layer;
        }
        all.push_back(part);
    }
    return all.back().last == count ? std::optional(all) : std::nullopt;
}

} // namespace

std::vector<PlacedLayers> place(const std::vector<at::Device>& devices, const WeightSizes& sizes, std::int64_t kept,
                                const std::vector<std::optional<std::int64_t>>& room)
{
    std::vector<std::int64_t> most(devices.size(), kUnlimited);
    if (devices.back().is_cpu()) {
        for (std::size_t i = 0; i + 1 < devices.size(); ++i)
            most[i] = room[i].value_or(kUnlimited);
        return *filled(devices, sizes, kept, most);
    }
    // The least that the fullest of them can have.
    std::int64_t low = 0, high = std::accumulate(sizes.layers.begin(), sizes.layers.end(), sizes.rest)
                                 + kept * static_cast<std::int64_t>(sizes.layers.size());
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        std::fill(most.begin(), most.end(), middle);
        if (filled(devices, sizes, kept, most))
            high = middle;
        else
            low = middle + 1;
    }
    std::fill(most.begin(), most.end(), high);
    return *filled(devices, sizes, kept, most);
}

std::vector<PlacedLayers> place(const ModelSpec& spec, const std::vector<at::Device>& devices,
                                const std::map<int, std::int64_t>& bytes, at::ScalarType dtype,
                                std::optional<std::int64_t> limit)
{
    WeightSizes sizes{std::vector<std::int64_t>(spec.layers.size()), 0};
    for (const auto& [layer, size] : bytes)
        (layer >= 0 && std::cmp_less(layer, sizes.layers.size()) ? sizes.layers[static_cast<std::size_t>(layer)]
                                                                 : sizes.rest) += size;
    const std::int64_t passing = passingThrough(spec, dtype);
    std::vector<std::optional<std::int64_t>> rooms;
    for (const at::Device& device : devices) {
        const auto room = roomOn(device, limit);
        rooms.push_back(room ? std::optional(room->bytes - passing) : std::nullopt);
    }
    return place(devices, sizes, keptByLayer(spec, dtype), rooms);
}

Result<void> checkPlaced(const ModelSpec& spec, const std::vector<PlacedLayers>& placement, at::ScalarType dtype,
                         std::optional<std::int64_t> limit)
{
    const std::int64_t kept = keptByLayer(spec, dtype), passing = passingThrough(spec, dtype);
    for (const PlacedLayers& part : placement) {
        const int layers = part.last - part.first;
        const std::int64_t need = part.bytes + kept * layers + passing;
        const auto room = roomOn(part.device, limit);
        if (!room || part.bytes == 0 || need <= room->bytes)
            continue;
        const std::string which =
            layers == 0 ? ""
                        : " with the layers L" + std::to_string(part.first) + " to L" + std::to_string(part.last - 1);
        return Error{Error::Kind::Memory,
                     "The model needs " + sizeText(need) + " on " + deviceName(part.device) + " ("
                         + sizeText(part.bytes) + " of weights" + which + "), and " + room->text(part.device)
                         + "; name more devices, or cpu as the last for the remaining layers.",
                     {}};
    }
    return {};
}

Result<ModelParts>
buildPlaced(const std::vector<PlacedLayers>& placement,
            const std::function<Result<ModelParts>(const at::Device& device, const Weights::Part& part)>& build)
{
    const at::Device home = placement.front().device;
    auto whole = build(home, {placement.front().first, placement.front().last, true});
    for (std::size_t i = 1; i < placement.size() && whole.has_value(); ++i) {
        const PlacedLayers& part = placement[i];
        if (part.first == part.last)
            continue;
        auto other = build(part.device, {part.first, part.last, false});
        if (!other.has_value())
            return other;
        for (auto layer = static_cast<std::size_t>(part.first); std::cmp_less(layer, part.last); ++layer)
            whole->blocks[layer] = std::make_shared<PlacedBlock>(std::move(other->blocks[layer]), part.device, home);
    }
    if (whole.has_value())
        whole->placement = placement;
    return whole;
}

} // namespace headscope::lm
