// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/scorer.h"

#include "core/base/giveway.h"
#include "core/base/shuffle.h"

#include <algorithm>
#include <numeric>

namespace headscope::engine {

Workload::Workload(std::vector<EncodedExample> examples, const ScorerOptions& options, std::int64_t batchTokens,
                   int sharedLength)
    : m_examples(std::move(examples)), m_batchTokens(batchTokens)
{
    // Chunks grow, so that the first answer is early and the rest runs in full batches.
    std::vector<int> order(m_examples.size());
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, options.orderSeed);
    std::size_t begin = 0;
    auto size = static_cast<std::size_t>(std::max(options.firstChunk, 1));
    while (begin < order.size()) {
        const std::size_t end = std::min(order.size(), begin + size);
        // More than one thread works for the early answer.
        const std::size_t parts = begin == 0 ? static_cast<std::size_t>(std::max(options.batchParts, 1)) : 1;
        for (std::size_t part = 0, from = begin; part < parts; ++part) {
            const std::size_t to = begin + (end - begin) * (part + 1) / parts;
            addChunk(std::span(order).subspan(from, to - from), batchTokens, sharedLength);
            from = to;
        }
        begin = end;
        size *= 4;
    }
}

void Workload::addChunk(std::span<const int> examples, std::int64_t batchTokens, int sharedLength)
{
    std::vector<Member> members;
    for (const int example : examples)
        for (std::size_t s = 0; s < m_examples[static_cast<std::size_t>(example)].sequences.size(); ++s)
            members.push_back({example, static_cast<int>(s)});
    // In lexicographic order sequences that start alike are neighbours, and share rows when they are in one batch.
    const auto apart = [&](const Member& member) { // the length of a text that goes only with its like; else 0
        const std::size_t length = sequence(member).ids.size();
        return sharedLength > 0 && length > static_cast<std::size_t>(sharedLength) ? length : std::size_t{0};
    };
    std::stable_sort(members.begin(), members.end(), [&](const Member& a, const Member& b) {
        return apart(a) != apart(b) ? apart(a) < apart(b) : sequence(a).ids < sequence(b).ids;
    });
    std::vector<std::int64_t> shared(members.size()); // tokens that each starts with like the one before it
    for (std::size_t i = 1; i < members.size(); ++i) {
        const std::vector<int>&ids = sequence(members[i]).ids, &before = sequence(members[i - 1]).ids;
        shared[i] = std::mismatch(ids.begin(), ids.end(), before.begin(), before.end()).first - ids.begin();
    }
    for (std::size_t begin = 0; begin < members.size();) {
        // As many as fit. What the next batch starts with like this one is computed again, so of the places in the
        // second half the batch ends where that is the least.
        std::int64_t rows = 0;
        std::size_t end = begin, best = members.size();
        for (; end < members.size() && apart(members[end]) == apart(members[begin]); ++end) {
            const std::int64_t own =
                static_cast<std::int64_t>(sequence(members[end]).ids.size()) - (end > begin ? shared[end] : 0);
            if (end > begin && rows + own > batchTokens) {
                end = best < end && shared[best] < shared[end] ? best : end;
                break;
            }
            if (end > begin && 2 * rows >= batchTokens && (best == members.size() || shared[end] <= shared[best]))
                best = end;
            rows += own;
        }
        Batch batch;
        batch.members.assign(members.begin() + static_cast<std::ptrdiff_t>(begin),
                             members.begin() + static_cast<std::ptrdiff_t>(end));
        addBatch(std::move(batch));
        begin = end;
    }
}

void Workload::addBatch(Batch batch)
{
    giveWay();
    std::vector<const std::vector<int>*> texts;
    for (const Member& member : batch.members) {
        texts.push_back(&sequence(member).ids);
        batch.length = std::max(batch.length, static_cast<std::int64_t>(texts.back()->size()));
    }
    batch.tree = std::make_shared<const lm::TokenTree>(texts, &batch.rowOf);
    for (std::size_t i = 0; i < batch.members.size(); ++i)
        for (const Sequence::Target& target : sequence(batch.members[i]).targets)
            batch.read.push_back(batch.rowOf[i][static_cast<std::size_t>(target.position)]);
    std::sort(batch.read.begin(), batch.read.end());
    batch.read.erase(std::unique(batch.read.begin(), batch.read.end()), batch.read.end());
    m_batches.push_back(std::move(batch));
}

bool Workload::isWanted(const Batch& batch, const std::vector<bool>& only)
{
    return only.empty() || std::ranges::any_of(batch.members, [&](const Member& member) {
               return only[static_cast<std::size_t>(member.example)];
           });
}

std::vector<Workload::Turn> Workload::turns(std::int64_t atOnce, const std::vector<bool>& only) const
{
    std::vector<Turn> turns;
    for (std::size_t i = 0; i < m_batches.size(); ++i) {
        if (!isWanted(m_batches[i], only))
            continue;
        if (turns.empty() || std::ssize(turns.back().batches) == atOnce)
            turns.emplace_back();
        turns.back().batches.push_back(i);
        turns.back().rows += m_batches[i].tree->rows();
    }
    return turns;
}

std::vector<Workload::Batch> Workload::parts(const Batch& batch) const
{
    std::vector<std::size_t> order(batch.members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto lengthOf = [&](std::size_t i) {
        return static_cast<std::int64_t>(sequence(batch.members[i]).ids.size());
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return lengthOf(a) < lengthOf(b); });
    std::vector<Batch> parts;
    for (const std::size_t i : order) {
        if (parts.empty() || lengthOf(i) * static_cast<std::int64_t>(parts.back().members.size() + 1) > m_batchTokens)
            parts.emplace_back();
        parts.back().members.push_back(batch.members[i]);
        parts.back().rowOf.push_back(batch.rowOf[i]);
        parts.back().length = lengthOf(i);
    }
    return parts;
}

std::int64_t Workload::tokens() const
{
    std::int64_t total = 0;
    for (const EncodedExample& example : m_examples)
        for (const Sequence& sequence : example.sequences)
            total += static_cast<std::int64_t>(sequence.ids.size());
    return total;
}

std::int64_t Workload::rows() const
{
    return std::accumulate(m_batches.begin(), m_batches.end(), std::int64_t{0},
                           [](std::int64_t sum, const Batch& batch) { return sum + batch.tree->rows(); });
}

std::int64_t Workload::largestBatch() const
{
    return std::accumulate(m_batches.begin(), m_batches.end(), std::int64_t{0},
                           [](std::int64_t most, const Batch& batch) { return std::max(most, batch.tree->rows()); });
}

std::int64_t Workload::longest() const
{
    return std::accumulate(m_batches.begin(), m_batches.end(), std::int64_t{0},
                           [](std::int64_t most, const Batch& batch) { return std::max(most, batch.length); });
}

} // namespace headscope::engine
