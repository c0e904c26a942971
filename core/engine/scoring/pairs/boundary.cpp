// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/pairs/boundary.h"

#include "core/base/words/counted.h"
#include "core/engine/scoring/pairs/pairtokens.h"
#include "core/tasks/ownmodels.h"

#include <algorithm>
#include <limits>

namespace headscope::engine {

namespace {

std::vector<std::size_t> leavesOf(const tasks::TaskSet& set, const std::string& task)
{
    for (const tasks::Group& group : set.groups)
        if (group.name == task)
            return group.leaves;
    std::vector<std::size_t> leaves;
    for (std::size_t leaf = 0; leaf < set.leaves.size(); ++leaf)
        if (set.leaves[leaf].name == task)
            leaves.push_back(leaf);
    return leaves;
}

// Every choice of one context is scored from the same token on, so that all
// tell of the same text.
Result<void> splitAtCommonPrefix(std::vector<Pair>& pairs, bool oneContext)
{
    std::size_t shortest = std::numeric_limits<std::size_t>::max();
    for (const Pair& pair : pairs)
        if (!pair.whole.empty())
            shortest = std::min(shortest, pair.common);
    for (std::size_t choice = 0; choice < pairs.size(); ++choice) {
        Pair& pair = pairs[choice];
        if (pair.whole.empty())
            continue;
        const std::size_t split = oneContext ? shortest : pair.common;
        if (split == 0)
            return inputError("The text of choice " + std::to_string(choice)
                              + " begins with a different token than its context, so nothing "
                                "is left to condition on.");
        pair.splitAt(split);
    }
    return {};
}

EncodedExample encodedFromCommonPrefix(const tasks::Example& example, tasks::PairEncoding pairing,
                                       const text::Tokenizer& tokenizer, BosPolicy bos, int maxLength)
{
    auto pairs = pairsOf(example, pairing, tokenizer, bos);
    if (pairs.has_value())
        if (const auto split = splitAtCommonPrefix(*pairs, example.contexts.empty()); !split.has_value())
            pairs = split.error();
    return encodePairs(pairs, pairing, maxLength);
}

} // namespace

std::string MergedRows::first() const
{
    return rows == 0 ? std::string() : "row " + std::to_string(firstRow) + " of '" + firstTask + "'";
}

MergedRows mergedRows(const tasks::TaskSet& set, const std::string& task, const text::Tokenizer& tokenizer,
                      BosPolicy bos)
{
    MergedRows found;
    for (const std::size_t index : leavesOf(set, task)) {
        const tasks::LeafTask& leaf = set.leaves[index];
        for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
            const tasks::Example& example = set.examples[i];
            if (example.scoring == tasks::Scoring::Generation)
                continue;
            const auto pairs = pairsOf(example, leaf.pairing, tokenizer, bos);
            if (pairs.has_value() && std::ranges::any_of(*pairs, &Pair::merged) && found.rows++ == 0) {
                found.firstTask = example.task;
                found.firstRow = example.row;
            }
        }
    }
    return found;
}

std::string boundaryNote(const std::string& task, const MergedRows& merged, Boundary boundary)
{
    if (merged.rows == 0)
        return {};
    const std::string rows = task + ": " + counted(merged.rows, "row was", "rows were") + " scored ";
    const std::string first =
        merged.rows == 1 ? " (" + merged.first() + ")." : "; the first is " + merged.first() + ".";
    if (boundary == Boundary::CommonPrefix)
        return rows + "from the longest common prefix, before the end of the context" + first;
    return rows
           + "on other tokens than those of the whole text, as the reference "
             "harness does: the tokenizer merges across "
             "context and continuation"
           + first;
}

Result<std::shared_ptr<const Benchmark>> makeFromCommonPrefix(tasks::TaskSet set, const Scorer& scorer,
                                                              const text::Tokenizer& tokenizer, BosPolicy bos)
{
    tasks::fitTo(set, tokenizer);
    const int maxLength = longestText(scorer.model().spec().maxPositions);
    std::vector<EncodedExample> encoded(set.examples.size());
    for (tasks::LeafTask& leaf : set.leaves) {
        for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
            const tasks::Example& example = set.examples[i];
            encoded[i] = example.scoring == tasks::Scoring::Generation
                             ? encode(example, leaf.pairing, tokenizer, bos, maxLength)
                             : encodedFromCommonPrefix(example, leaf.pairing, tokenizer, bos, maxLength);
            refuseUnknownIds(encoded[i], scorer.model().spec().vocabulary);
        }
        leaf.version += (leaf.version.empty() ? "" : " ") + std::string(name(Boundary::CommonPrefix));
    }
    return Benchmark::ofEncoded(std::move(set), std::move(encoded), scorer);
}

} // namespace headscope::engine
