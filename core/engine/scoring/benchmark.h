// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A task set prepared for one model, and its rows judged under an ablation set. Worker thread.

#include "core/engine/scoring/scorer.h"
#include "core/tasks/metrics.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope::engine {

/// The rows of one run: the model's answers and their judgements, by index of the example.
struct Rows {
    std::vector<std::optional<tasks::Outcome>> outcomes; ///< empty: not run yet
    std::vector<tasks::RowResult> results;
};

class Benchmark
{
public:
    /// Encodes every example with its task's own pairing; a row that cannot be scored is stored as a failed row.
    [[nodiscard]] static Result<std::shared_ptr<const Benchmark>>
    make(tasks::TaskSet set, const Scorer& scorer, const text::Tokenizer& tokenizer, BosPolicy bos = BosPolicy::Never);

    /// Makes a benchmark from examples that are already token ids, one for each of the set's.
    [[nodiscard]] static Result<std::shared_ptr<const Benchmark>>
    ofEncoded(tasks::TaskSet set, std::vector<EncodedExample> encoded, const Scorer& scorer);

    /// Returns a benchmark of some of the examples, with the tokens they have here.
    [[nodiscard]] Result<std::shared_ptr<const Benchmark>> part(std::span<const std::size_t> examples,
                                                                const Scorer& scorer) const;

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

    /// Runs the rows missing from `rows` and adds them; `sink` is called for each finished row. When stopped, finished
    /// rows stay in `rows`.
    [[nodiscard]] Result<void> run(Scorer& scorer, const interventions::InterventionSet& set,
                                   const lm::DonorLoader& donors, Rows& rows, const RowSink& sink,
                                   const Control& control) const;

private:
    tasks::TaskSet m_set;
    std::vector<std::string> m_hashes;
    std::vector<tasks::Judge> m_judges; ///< one judge per leaf
    std::vector<std::size_t> m_leafOf;  ///< index of the leaf, by example
    std::shared_ptr<const Workload> m_workload;
    bool m_generates = false;
};

} // namespace headscope::engine
