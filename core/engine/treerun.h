// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs one batch of packed sequences through the model: the clean part from stored activations, the rest with the
// edits. Worker thread.

#include "core/engine/activationcache.h"
#include "core/engine/scoring/scorer.h"
#include "core/lm/device/layergraphs.h"

#include <functional>
#include <stop_token>

namespace headscope::engine {

/// Which activations of a workload's clean run are stored.
struct KeepPlan {
    int stride = 0;         ///< store every stride-th layer, and the last; 0: none
    std::int64_t bytes = 0; ///< forecast of the total

    [[nodiscard]] bool keeps(int layer, int layers) const
    {
        return stride > 0 && (layer + 1 == layers || (layer + 1) % stride == 0);
    }
};

/// Returns the distance between stored layers: as small as the budget allows; if they need much, as large as makes a
/// click at most a tenth more expensive. `bytes`: size by stride, decreasing; 0: nothing fits.
[[nodiscard]] int strideOf(int layers, std::int64_t budget, const std::function<std::int64_t(int stride)>& bytes);
/// Returns a plan with strideOf() of the whole workload. `only`: store these examples' batches; empty: all.
[[nodiscard]] KeepPlan keepPlan(const lm::Model& model, const Workload& workload, std::int64_t budget,
                                const std::vector<bool>& only = {});

/// Returns whether every sequence that shares a row has it edited identically.
[[nodiscard]] bool sharesRows(const lm::Edits& edits);

/// A batch on the model's device.
struct PackedBatch {
    PackedBatch(const lm::Model& model, const Workload& workload, std::size_t batch);

    lm::DeviceTree tree;
    std::vector<std::int64_t> rows;        ///< tree rows at which something is read, ascending
    at::Tensor rowTensor;                  ///< the same, [1, R]
    at::Tensor embedding;                  ///< [1, N, D]; undefined until needed
    std::optional<lm::LayerGraphs> graphs; ///< of a batch that is kept for the next run; nothing: layers run unrecorded
};

/// Batches of one workload that run repeatedly on a GPU, with their recorded layers.
class RecordedBatches
{
public:
    RecordedBatches(const lm::Model& model, std::weak_ptr<const Workload> workload, lm::Recorder recorder);

    [[nodiscard]] std::shared_ptr<PackedBatch> batch(std::size_t index);
    [[nodiscard]] bool serves(const std::shared_ptr<const Workload>& workload) const
    {
        return m_workload.lock() == workload;
    }
    [[nodiscard]] const lm::GraphPool& pool() const { return *m_pool; }

private:
    const lm::Model& m_model;
    std::weak_ptr<const Workload> m_workload;
    std::shared_ptr<lm::GraphPool> m_pool;
    std::map<std::size_t, std::shared_ptr<PackedBatch>> m_batches;
};

class TreeRun
{
public:
    /// `recorded`: storage of the batch with its recorded layers; null: it is made for this run.
    TreeRun(const lm::Model& model, ActivationCache& cache, const Workload& workload, std::size_t batch,
            std::stop_token stop, RecordedBatches* recorded = nullptr);

    /// Returns the stream after the last layer under edits that apply to all sequences alike, only at rows(), [1, R,
    /// D]; undefined when stopped.
    [[nodiscard]] at::Tensor toEnd(const lm::Edits& edits);
    /// Returns the clean stream at the input of `layer`, [1, N, D]; undefined when stopped.
    [[nodiscard]] at::Tensor toLayer(int layer);

    [[nodiscard]] const std::vector<std::int64_t>& rows() const { return m_batch->rows; }
    [[nodiscard]] const at::Tensor& embedding(); ///< [1, N, D]

private:
    struct Place {
        at::Tensor stream; ///< undefined: stopped
        int layer = 0;     ///< layer to run next
    };
    /// Runs clean layers up to and including `target` from the nearest stored one, and stores what the budget is for.
    /// The last one runs with the edits of its layer, if there are any.
    [[nodiscard]] Place clean(int target, int end, const lm::LayerEdits* editsAtTarget);
    [[nodiscard]] bool keeps(int layer, int end) const;
    [[nodiscard]] lm::LayerActivations narrowed(const lm::LayerActivations& kept, bool lastLayer) const;
    [[nodiscard]] lm::RunOptions options() const;

    const lm::Model& m_model;
    ActivationCache& m_cache;
    ActivationCache::Key m_key;
    std::shared_ptr<PackedBatch> m_batch;
    KeepPlan m_plan;
    std::stop_token m_stop;
};

} // namespace headscope::engine
