// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A task set made ready on one model, and its rows judged under an ablation set. Worker thread.

#include "core/engine/scoring/scorer.h"
#include "core/tasks/metrics.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::engine {

/// The rows of one run: what the model answered and how it is judged, by index of the example.
struct Rows {
    std::vector<std::optional<tasks::Outcome>> outcomes; ///< empty: not run yet
    std::vector<tasks::RowResult> results;
};

class Benchmark
{
public:
    /// Encodes every example with its task's own pairing; a row that cannot be scored is kept as a failed row.
    [[nodiscard]] static Result<std::shared_ptr<const Benchmark>>
    make(tasks::TaskSet set, const Scorer& scorer, const text::Tokenizer& tokenizer, BosPolicy bos = BosPolicy::Never);

    /// Of examples that are token ids already, one for each of the set's.
    [[nodiscard]] static Result<std::shared_ptr<const Benchmark>>
    ofEncoded(tasks::TaskSet set, std::vector<EncodedExample> encoded, const Scorer& scorer);

    [[nodiscard]] const tasks::TaskSet& set() const { return m_set; }
    [[nodiscard]] const std::vector<std::string>& hashes() const
    {
        return m_hashes;
    } ///< content hashes of the examples
    [[nodiscard]] const Workload& workload() const { return *m_workload; }
    [[nodiscard]] Rows emptyRows() const;

    /// Judges one outcome and puts it into `rows`.
    void put(Rows& rows, int example, const tasks::Outcome& outcome) const;

    using RowSink = std::function<void(int example, const tasks::Outcome& outcome, const tasks::RowResult& result)>;

    /// Runs the rows that `rows` does not have yet and adds them; `sink` hears of each as it finishes. When stopped,
    /// what was finished stays in `rows`.
    [[nodiscard]] Result<void> run(Scorer& scorer, const interventions::InterventionSet& set,
                                   const lm::DonorLoader& donors, Rows& rows, const RowSink& sink,
                                   const Control& control) const;

private:
    tasks::TaskSet m_set;
    std::vector<std::string> m_hashes;
    std::vector<tasks::Judge> m_judges; ///< one a leaf
    std::vector<std::size_t> m_leafOf;  ///< by example
    std::shared_ptr<const Workload> m_workload;
    bool m_generates = false;
};

} // namespace headscope::engine
