// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scorer.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace headscope::engine {

namespace {

// std::shuffle differs between standard libraries; this order is the same everywhere.
std::vector<int> seededOrder(std::size_t count, std::uint64_t seed)
{
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::mt19937_64 random(seed);
    for (std::size_t i = count; i > 1; --i)
        std::swap(order[i - 1], order[random() % i]);
    return order;
}

} // namespace

Workload::Workload(std::vector<EncodedExample> examples, const ScorerOptions& options, std::int64_t batchTokens) : m_examples(std::move(examples))
{
    // Chunks grow, so that the first answer is early and the rest runs in full batches.
    const std::vector<int> order = seededOrder(m_examples.size(), options.orderSeed);
    std::size_t begin = 0;
    auto size = static_cast<std::size_t>(std::max(options.firstChunk, 1));
    while (begin < order.size()) {
        const std::size_t end = std::min(order.size(), begin + size);
        addChunk(std::span(order).subspan(begin, end - begin), batchTokens);
        begin = end;
        size *= 4;
    }
}

void Workload::addChunk(std::span<const int> examples, std::int64_t batchTokens)
{
    std::vector<Member> members;
    for (const int example : examples)
        for (std::size_t s = 0; s < m_examples[static_cast<std::size_t>(example)].sequences.size(); ++s)
            members.push_back({example, static_cast<int>(s)});
    const auto lengthOf = [&](const Member& member) { return static_cast<std::int64_t>(sequence(member).ids.size()); };
    std::stable_sort(members.begin(), members.end(), [&](const Member& a, const Member& b) { return lengthOf(a) < lengthOf(b); });
    Batch batch;
    for (const Member& member : members) {
        const std::int64_t length = lengthOf(member);
        if (!batch.members.empty() && length * static_cast<std::int64_t>(batch.members.size() + 1) > batchTokens)
            m_batches.push_back(std::exchange(batch, {}));
        batch.members.push_back(member);
        batch.length = length;
    }
    if (!batch.members.empty())
        m_batches.push_back(std::move(batch));
}

std::int64_t Workload::tokens() const
{
    std::int64_t total = 0;
    for (const EncodedExample& example : m_examples)
        for (const Sequence& sequence : example.sequences)
            total += static_cast<std::int64_t>(sequence.ids.size());
    return total;
}

} // namespace headscope::engine
