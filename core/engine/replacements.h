// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Values that mean and resample ablation substitute for a head, taken from the clean run of the whole workload, so that
// they do not depend on batching. Worker thread.

#include "core/engine/scoring/scorer.h"

#include <map>

namespace headscope::engine {

/// Returns whether the set takes values from all examples (mean, resample), whichever of them run.
[[nodiscard]] bool dependsOnAllExamples(const interventions::InterventionSet& set);

/// Fails if a head takes its output from another example and the workload has only one.
[[nodiscard]] Result<void> checkOthers(const interventions::InterventionSet& set, const Workload& workload);

/// Fills the undefined values of `edits` for the batches of one workload.
class Replacements
{
public:
    Replacements(const lm::Model& model, const Workload& workload, const std::stop_token& stop)
        : m_model(model), m_workload(workload), m_stop(stop)
    {
    }

    /// Returns whether any value of `edits` must be filled in.
    [[nodiscard]] static bool needed(const lm::Edits& edits);
    /// Returns the edits with values for this batch: means over all real positions of the workload, and for resampling
    /// the head's output on another sequence of the workload, chosen by the seed (positions past its end repeat its
    /// last). Values stay undefined only when stopped.
    [[nodiscard]] lm::Edits fill(lm::Edits edits, const Workload::Batch& batch);

private:
    using Where = std::pair<int, lm::Site>;
    [[nodiscard]] at::Tensor mean(const Where& where); ///< [H*P]
    [[nodiscard]] at::Tensor donors(const Where& where, const Workload::Batch& batch,
                                    std::uint64_t seed); ///< [B, T, H*P]
    [[nodiscard]] at::Tensor run(const Where& where, const std::vector<const Sequence*>& sequences,
                                 std::int64_t length); ///< z
    const lm::Model& m_model;
    const Workload& m_workload;
    std::stop_token m_stop;
    std::map<Where, at::Tensor> m_means;
};

/// Returns sequences as ids [B, T], padded on the right with id 0, on the model's device.
[[nodiscard]] at::Tensor paddedIds(const std::vector<const Sequence*>& sequences, std::int64_t length,
                                   const at::Device& device);

} // namespace headscope::engine
