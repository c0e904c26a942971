// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One batch of packed sequences through the model: the clean part from what is kept of it, the rest with the edits.
// Worker thread.

#include "core/engine/activationcache.h"
#include "core/engine/scoring/scorer.h"
#include "core/lm/device/layergraphs.h"

#include <functional>
#include <stop_token>

namespace headscope::engine {

/// What is kept of a workload's clean run.
struct KeepPlan {
    int stride = 0;         ///< something of every stride-th layer, and of the last; 0: nothing
    std::int64_t bytes = 0; ///< forecast of all of it

    [[nodiscard]] bool keeps(int layer, int layers) const
    {
        return stride > 0 && (layer + 1 == layers || (layer + 1) % stride == 0);
    }
};

/// How far apart kept layers are: as close as the budget allows; where they take much, as far as makes a click at most
/// a tenth more expensive. `bytes` of what is kept by stride, falling; 0: nothing fits.
[[nodiscard]] int strideOf(int layers, std::int64_t budget, const std::function<std::int64_t(int stride)>& bytes);
/// With strideOf() of the whole workload. `only`: what is kept of these examples' batches; empty: of all.
[[nodiscard]] KeepPlan keepPlan(const lm::Model& model, const Workload& workload, std::int64_t budget,
                                const std::vector<bool>& only = {});

/// Whether every sequence that shares a row has it edited alike.
[[nodiscard]] bool sharesRows(const lm::Edits& edits);

/// A batch on the model's device.
struct PackedBatch {
    PackedBatch(const lm::Model& model, const Workload& workload, std::size_t batch);

    lm::DeviceTree tree;
    std::vector<std::int64_t> rows; ///< tree rows that something is read at, ascending
    at::Tensor rowTensor;           ///< the same, [1, R]
    at::Tensor embedding;           ///< [1, N, D]; undefined until it is needed
    std::optional<lm::LayerGraphs>
        graphs; ///< of a batch that is kept for the next run; nothing: layers are run as they are
};

/// Batches of one workload that are run again and again on a GPU, with their recorded layers.
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
    /// `recorded`: where the batch is kept with its recorded layers; null: it is made for this run.
    TreeRun(const lm::Model& model, ActivationCache& cache, const Workload& workload, std::size_t batch,
            std::stop_token stop, RecordedBatches* recorded = nullptr);

    /// The stream after the last layer under edits that hold for all sequences alike, at rows() only, [1, R, D];
    /// undefined when stopped.
    [[nodiscard]] at::Tensor toEnd(const lm::Edits& edits);
    /// The clean stream at the input of `layer`, [1, N, D]; undefined when stopped.
    [[nodiscard]] at::Tensor toLayer(int layer);

    [[nodiscard]] const std::vector<std::int64_t>& rows() const { return m_batch->rows; }
    [[nodiscard]] const at::Tensor& embedding(); ///< [1, N, D]

private:
    struct Place {
        at::Tensor stream; ///< undefined: stopped
        int layer = 0;     ///< that runs next
    };
    /// Runs clean layers up to and with `target` from the nearest that is kept, and keeps what the budget is for. The
    /// last one is run with the edits of its layer, if there are any.
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
