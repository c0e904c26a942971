// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/benchmark.h"

#include "core/engine/scoring/pairs/pairtokens.h"
#include "core/tasks/ownmodels.h"

#include <algorithm>

namespace headscope::engine {

Result<std::shared_ptr<const Benchmark>> Benchmark::make(tasks::TaskSet set, const Scorer& scorer,
                                                         const text::Tokenizer& tokenizer, BosPolicy bos)
{
    tasks::fitTo(set, tokenizer);
    const lm::ModelSpec& spec = scorer.model().spec();
    const int maxLength = longestText(spec.maxPositions);
    std::vector<EncodedExample> encoded;
    for (const tasks::LeafTask& leaf : set.leaves)
        for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
            encoded.resize(std::max(encoded.size(), i + 1));
            encoded[i] = encode(set.examples[i], leaf.pairing, tokenizer, bos, maxLength);
            refuseUnknownIds(encoded[i], spec.vocabulary);
        }
    encoded.resize(set.examples.size());
    return ofEncoded(std::move(set), std::move(encoded), scorer);
}

Result<std::shared_ptr<const Benchmark>> Benchmark::ofEncoded(tasks::TaskSet set, std::vector<EncodedExample> encoded,
                                                              const Scorer& scorer)
{
    auto made = std::make_shared<Benchmark>();
    made->m_leafOf.resize(set.examples.size());
    for (std::size_t leaf = 0; leaf < set.leaves.size(); ++leaf) {
        auto judge = tasks::Judge::make(set.leaves[leaf]);
        if (!judge.has_value())
            return judge.error();
        made->m_judges.push_back(std::move(*judge));
        for (std::size_t i = set.leaves[leaf].begin; i < set.leaves[leaf].end; ++i)
            made->m_leafOf[i] = leaf;
    }
    for (const tasks::Example& example : set.examples) {
        made->m_generates |= example.scoring == tasks::Scoring::Generation;
        made->m_hashes.push_back(tasks::contentHash(example));
    }
    made->m_set = std::move(set);
    made->m_workload = scorer.prepare(std::move(encoded));
    return std::shared_ptr<const Benchmark>(std::move(made));
}

Result<std::shared_ptr<const Benchmark>> Benchmark::part(std::span<const std::size_t> examples,
                                                         const Scorer& scorer) const
{
    std::vector<EncodedExample> encoded;
    for (const std::size_t example : examples)
        encoded.push_back(m_workload->examples()[example]);
    return ofEncoded(tasks::subset(m_set, examples), std::move(encoded), scorer);
}

Rows Benchmark::emptyRows() const
{
    return {std::vector<std::optional<tasks::Outcome>>(m_set.examples.size()),
            std::vector<tasks::RowResult>(m_set.examples.size())};
}

void Benchmark::put(Rows& rows, int example, const tasks::Outcome& outcome) const
{
    const auto index = static_cast<std::size_t>(example);
    tasks::RowResult& result = rows.results[index];
    const auto judged = m_judges[m_leafOf[index]].judge(m_set.examples[index], outcome);
    if (judged.has_value())
        result.judgement = *judged;
    else
        result.error = judged.error().message;
    rows.outcomes[index] = outcome;
}

Result<void> Benchmark::run(Scorer& scorer, const interventions::InterventionSet& set, const lm::DonorLoader& donors,
                            Rows& rows, const RowSink& sink, const Control& control) const
{
    std::vector<bool> missing(rows.outcomes.size());
    std::transform(rows.outcomes.begin(), rows.outcomes.end(), missing.begin(),
                   [](const auto& outcome) { return !outcome.has_value(); });
    const auto take = [&](int example, const tasks::Outcome& outcome) {
        // A batch can hold rows that are known already, run again for company.
        if (!missing[static_cast<std::size_t>(example)])
            return;
        put(rows, example, outcome);
        if (sink)
            sink(example, outcome, rows.results[static_cast<std::size_t>(example)]);
    };
    // Generated examples have no sequences, so each of the two passes takes its
    // own kind.
    if (m_generates) {
        std::vector<bool> generated = missing;
        for (std::size_t i = 0; i < generated.size(); ++i)
            generated[i] = missing[i] && m_set.examples[i].scoring == tasks::Scoring::Generation;
        if (const auto done = scorer.generateAll(m_set.examples, m_workload, set, donors, take, control, generated);
            !done.has_value())
            return done;
    }
    std::vector<bool> scored = missing;
    for (std::size_t i = 0; i < scored.size(); ++i)
        scored[i] = missing[i] && m_set.examples[i].scoring != tasks::Scoring::Generation;
    return scorer.score(m_workload, set, donors, take, control, scored);
}

} // namespace headscope::engine
