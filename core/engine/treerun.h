// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One batch of packed sequences through the model: the clean part from what is kept of it, the rest with the edits.
// Worker thread.

#include "core/engine/activationcache.h"
#include "core/engine/scorer.h"

#include <stop_token>

namespace headscope::engine {

/// What is kept of a workload's clean run.
struct KeepPlan {
    int stride = 0;         ///< something of every stride-th layer, and of the last; 0: nothing
    std::int64_t bytes = 0; ///< forecast of all of it

    [[nodiscard]] bool keeps(int layer, int layers) const { return stride > 0 && (layer + 1 == layers || (layer + 1) % stride == 0); }
};

/// The closest layers that the budget allows.
[[nodiscard]] KeepPlan keepPlan(const lm::Model& model, const Workload& workload, std::int64_t budget);

/// Whether every sequence that shares a row has it edited alike.
[[nodiscard]] bool sharesRows(const lm::Edits& edits);

class TreeRun
{
public:
    TreeRun(const lm::Model& model, ActivationCache& cache, const Workload& workload, std::size_t batch, std::stop_token stop);

    /// The stream after the last layer under edits that hold for all sequences alike, at rows() only, [1, R, D]; undefined
    /// when stopped.
    [[nodiscard]] at::Tensor toEnd(const lm::Edits& edits);
    /// The clean stream at the input of `layer`, [1, N, D]; undefined when stopped.
    [[nodiscard]] at::Tensor toLayer(int layer);

    [[nodiscard]] const std::vector<std::int64_t>& rows() const { return m_rows; } ///< tree rows that something is read at, ascending
    [[nodiscard]] const at::Tensor& embedding();                                   ///< [1, N, D]

private:
    struct Place {
        at::Tensor stream; ///< undefined: stopped
        int layer = 0;     ///< that runs next
    };
    /// Runs clean layers up to and with `target` from the nearest that is kept, and keeps what the budget is for. The last
    /// one is run with the edits of its layer, if there are any.
    [[nodiscard]] Place clean(int target, int end, const lm::LayerEdits* editsAtTarget);
    [[nodiscard]] bool keeps(int layer, int end) const;
    [[nodiscard]] lm::LayerCheckpoint narrowed(const lm::LayerCheckpoint& kept, bool lastLayer) const;
    [[nodiscard]] lm::RunOptions options() const;

    const lm::Model& m_model;
    ActivationCache& m_cache;
    ActivationCache::Key m_key;
    const lm::TokenTree& m_tree;
    std::vector<std::int64_t> m_rows;
    at::Tensor m_rowTensor; ///< [1, R]
    at::Tensor m_embedding;
    KeepPlan m_plan;
    std::stop_token m_stop;
};

} // namespace headscope::engine
