// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One pass of a scorer over a workload: batch by batch from the stream to the outcome of each example. Worker thread.

#include "core/engine/replacements.h"
#include "core/engine/scoring/scorer.h"
#include "core/engine/treerun.h"
#include "core/lm/device/transfer.h"

#include <deque>
#include <optional>
#include <span>

namespace headscope::engine {

/// Inputs of a pass, which must outlive it.
struct PassArguments {
    const lm::Model& model;
    ActivationCache& cache;
    RecordedBatches* recorded = nullptr; ///< null: layers run unrecorded
    LogSoftmax logSoftmax = LogSoftmax::Fp32;
    const Workload& workload;
    const lm::Edits& edits;
    const OutcomeSink& sink;
    const Control& control;
};

class ScoringPass
{
public:
    explicit ScoringPass(const PassArguments& arguments);

    /// Runs these batches, concurrently if the edits allow it; examples are reported in the order of their batches.
    /// False when stopped.
    [[nodiscard]] bool run(std::span<const std::size_t> batches);
    /// Finishes the readings of batches, all but the last `pending`.
    void settle(std::size_t pending);
    /// Reports rows that cannot be scored to the sink.
    void emitRejected(const std::vector<bool>& only);

private:
    struct Readout {
        int example = 0, choice = 0, token = 0;
        std::int64_t row = 0;
    };
    /// Readouts of some rows, being copied to the host.
    struct Tile {
        std::vector<Readout> readouts; ///< ascending by row
        std::int64_t begin = 0;        ///< the first row
        lm::HostCopy logSum, best, chosen;
    };
    struct Reading {
        std::vector<Workload::Member> members;
        std::vector<Tile> tiles;
    };
    /// Returns the readings of one batch; nothing when stopped.
    [[nodiscard]] std::vector<Reading> readBatch(std::size_t batch);
    [[nodiscard]] std::optional<Reading> readPart(const Workload::Batch& part, const at::Tensor& stream,
                                                  const at::Tensor& embedding, int first);
    [[nodiscard]] Reading readShared(const Workload::Batch& batch, const std::vector<std::int64_t>& rows,
                                     const at::Tensor& stream) const;
    [[nodiscard]] Reading read(const Workload::Batch& batch, std::vector<Readout> readouts,
                               const at::Tensor& stream) const;
    void take(Tile& tile);
    void put(const Readout& readout, double value, bool greedy);
    void finish(const std::vector<Workload::Member>& members);
    [[nodiscard]] bool inModelType() const { return m_a.logSoftmax == LogSoftmax::Model; }

    PassArguments m_a;
    std::vector<tasks::Outcome> m_outcomes;
    std::vector<std::size_t> m_missing; ///< number of each example's sequences not read yet
    std::deque<Reading> m_readings;     ///< unfinished readings
    Replacements m_replacements;
};

} // namespace headscope::engine
