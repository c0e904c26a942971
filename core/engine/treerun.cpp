// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/treerun.h"

#include "core/base/elapsed.h"
#include "core/lm/device/transfer.h"

#include <ATen/Parallel.h>

#include <algorithm>

namespace headscope::engine {

namespace {

constexpr std::int64_t kLittle = std::int64_t{256} << 20; ///< bytes below which all layers are kept
/// Of the layers that a click runs on the mean, half of them all; a stride of s runs (s - 1) / 2 more.
constexpr double kDearer = 0.1;

} // namespace

bool sharesRows(const lm::Edits& edits)
{
    const auto alike = [](const lm::SiteEdits& site) {
        const bool values = std::all_of(site.replace.begin(), site.replace.end(),
                                        [](const lm::ReplaceHead& r) { return !r.resampleSeed; });
        return values && !site.byPosition() && !site.touchesMatrix();
    };
    return std::all_of(edits.layers.begin(), edits.layers.end(),
                       [&](const auto& edit) { return alike(edit.second.attention) && alike(edit.second.ssm); });
}

int strideOf(int layers, std::int64_t budget, const std::function<std::int64_t(int stride)>& bytes)
{
    const int cheap = 1 + static_cast<int>(kDearer * layers);
    for (int stride = 1; stride <= layers && budget > 0; ++stride) {
        const std::int64_t kept = bytes(stride);
        if (kept <= budget && (kept <= kLittle || stride >= cheap))
            return stride;
    }
    return 0;
}

KeepPlan keepPlan(const lm::Model& model, const Workload& workload, std::int64_t budget, const std::vector<bool>& only)
{
    const auto& layers = model.spec().layers;
    const int count = static_cast<int>(layers.size());
    const auto element = static_cast<std::int64_t>(c10::elementSize(model.dtype()));
    const std::int64_t number = model.parts().streamInFp32 ? 4 : element; // of the stream
    struct Rows {
        std::int64_t all = 0, read = 0;
    };
    const auto rowsOf = [&](const std::vector<bool>& wanted) {
        Rows rows;
        for (const Workload::Batch& batch : workload.batches())
            if (Workload::isWanted(batch, wanted)) {
                rows.all += batch.tree->rows();
                rows.read += static_cast<std::int64_t>(batch.read.size());
            }
        return rows;
    };
    const auto planOf = [&, columns = model.streamColumns()](int stride, const Rows& rows) {
        KeepPlan plan{stride, 0};
        for (int layer = 0; layer < count; ++layer) {
            std::int64_t row = columns[static_cast<std::size_t>(layer) + 1] * number;
            for (const lm::MixerSpec& mixer : layers[static_cast<std::size_t>(layer)].mixers)
                row += model.canResume(layer, nullptr) ? std::int64_t{mixer.heads} * mixer.headDim * element : 0;
            plan.bytes += plan.keeps(layer, count) ? row * (layer + 1 == count ? rows.read : rows.all) : 0;
        }
        return plan;
    };
    const int stride =
        strideOf(count, budget, [&, whole = rowsOf({})](int tried) { return planOf(tried, whole).bytes; });
    return stride > 0 ? planOf(stride, rowsOf(only)) : KeepPlan{};
}

PackedBatch::PackedBatch(const lm::Model& model, const Workload& workload, std::size_t batch)
    : tree(workload.batches()[batch].tree, model.device()), rows(workload.batches()[batch].read),
      rowTensor(lm::onDevice(at::tensor(rows, at::kLong).unsqueeze(0), model.device()))
{
}

RecordedBatches::RecordedBatches(const lm::Model& model, std::weak_ptr<const Workload> workload, lm::Recorder recorder)
    : m_model(model), m_workload(std::move(workload)), m_pool(std::make_shared<lm::GraphPool>())
{
    const auto stream =
        at::TensorOptions(model.parts().streamInFp32 ? at::kFloat : model.dtype()).device(model.device());
    m_pool->record = std::move(recorder);
    const std::int64_t widest = std::ranges::max(model.streamColumns());
    m_pool->buffer = at::empty({m_workload.lock()->largestBatch() * widest}, stream);
}

std::shared_ptr<PackedBatch> RecordedBatches::batch(std::size_t index)
{
    std::shared_ptr<PackedBatch>& kept = m_batches[index];
    if (!kept) {
        kept = std::make_shared<PackedBatch>(m_model, *m_workload.lock(), index);
        kept->graphs.emplace(m_pool);
    }
    return kept;
}

TreeRun::TreeRun(const lm::Model& model, ActivationCache& cache, const Workload& workload, std::size_t batch,
                 std::stop_token stop, RecordedBatches* recorded)
    : m_model(model), m_cache(cache), m_key{&workload, batch},
      m_batch(recorded ? recorded->batch(batch) : std::make_shared<PackedBatch>(model, workload, batch)),
      m_plan(keepPlan(model, workload, cache.budget())), m_stop(std::move(stop))
{
}

const at::Tensor& TreeRun::embedding()
{
    if (!m_batch->embedding.defined())
        m_batch->embedding = m_model.embed(m_batch->tree.ids(), options());
    return m_batch->embedding;
}

lm::RunOptions TreeRun::options() const
{
    return {.tree = &m_batch->tree, .graphs = m_batch->graphs ? &*m_batch->graphs : nullptr, .stop = m_stop};
}

// Of the model's last layer only the rows that are read are kept. Of the last layer of a shorter model nothing is: what
// is kept there must also serve the whole model.
bool TreeRun::keeps(int layer, int end) const
{
    const int layers = static_cast<int>(m_model.spec().layers.size());
    return m_plan.keeps(layer, layers) && (layer + 1 < end || end == layers);
}

lm::LayerActivations TreeRun::narrowed(const lm::LayerActivations& kept, bool lastLayer) const
{
    if (!lastLayer || kept.stream.size(1) == static_cast<std::int64_t>(m_batch->rows.size()))
        return kept;
    return {lm::gatherRows(kept.stream, m_batch->rowTensor),
            kept.z.defined() ? lm::gatherRows(kept.z, m_batch->rowTensor) : kept.z};
}

TreeRun::Place TreeRun::clean(int target, int end, const lm::LayerEdits* editsAtTarget)
{
    // 1. From the nearest layer that is kept.
    const ActivationCache::Layers kept = m_cache.find(m_key);
    auto nearest = kept.upper_bound(target);
    Place place{{}, 0};
    if (nearest != kept.begin()) {
        const auto& [layer, activations] = *std::prev(nearest);
        place = {
            m_model.resume(layer, narrowed(activations, layer + 1 == end), layer == target ? editsAtTarget : nullptr),
            layer + 1};
    } else {
        place.stream = embedding();
    }
    if (place.layer > target)
        return place;

    // 2. The rest, as far as something of it is to be kept.
    ActivationCache::Layers fresh;
    int last = place.layer - 1;
    for (int layer = place.layer; layer <= target; ++layer)
        if (keeps(layer, end)) {
            fresh[layer];
            last = layer;
        }
    const bool withEdits = editsAtTarget != nullptr;
    if (!withEdits)
        last = target;
    if (last < place.layer)
        return place;
    lm::RunOptions run = options();
    run.activations = &fresh;
    if (last + 1 == end)
        run.rows = m_batch->rowTensor;
    const double start = threadSeconds(); // other batches may run beside this one
    place = {m_model.runLayers(std::move(place.stream), place.layer, last + 1, embedding(), run), last + 1};
    if (!place.stream.defined())
        return place;
    m_cache.keep(m_key, fresh, (threadSeconds() - start) * at::get_num_threads());
    if (withEdits && last == target)
        place.stream = m_model.resume(target, fresh.at(target), editsAtTarget);
    return place;
}

at::Tensor TreeRun::toLayer(int layer)
{
    const int layers = static_cast<int>(m_model.spec().layers.size());
    return layer == 0 ? embedding() : clean(layer - 1, layers + 1, nullptr).stream;
}

at::Tensor TreeRun::toEnd(const lm::Edits& edits)
{
    const int end = edits.layerCount, first = edits.layers.empty() ? end : std::min(edits.layers.begin()->first, end);
    const lm::LayerEdits* atFirst = first < end ? edits.find(first) : nullptr;
    const bool restarts = atFirst && m_model.canResume(first, atFirst);
    const int target = restarts ? first : first - 1;
    Place place{embedding(), 0};
    if (target >= 0)
        place = clean(target, end, restarts ? atFirst : nullptr);
    if (!place.stream.defined())
        return {};
    if (place.layer == end) // a minimal model of no layers, or everything was kept
        return place.stream.size(1) == static_cast<std::int64_t>(m_batch->rows.size())
                   ? place.stream
                   : lm::gatherRows(place.stream, m_batch->rowTensor);
    lm::RunOptions run = options();
    run.edits = &edits;
    run.rows = m_batch->rowTensor;
    return m_model.runLayers(std::move(place.stream), place.layer, end, embedding(), run);
}

} // namespace headscope::engine
