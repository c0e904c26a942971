// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/processes/chunkqueue.h"

#include <algorithm>

namespace headscope::engine {

ChunkQueue::Chunk& ChunkQueue::give(std::size_t chunk, int rank, Time now)
{
    Chunk& one = m_chunks[chunk];
    one.ranks.push_back(rank);
    one.taken.push_back(rank);
    one.since = now;
    m_portionOf[rank] = static_cast<int>(chunk) / m_together;
    return one;
}

std::optional<std::size_t> ChunkQueue::firstFree(int rank) const
{
    const auto own = m_portionOf.find(rank);
    const auto portion = own == m_portionOf.end() ? m_chunks.size() : static_cast<std::size_t>(own->second);
    const auto together = static_cast<std::size_t>(m_together);
    std::optional<std::size_t> best;
    std::size_t most = 0;
    for (std::size_t begin = 0; begin < m_chunks.size(); begin += together) {
        const std::size_t end = std::min(begin + together, m_chunks.size());
        std::size_t left = 0;
        bool begun = false;
        std::optional<std::size_t> first;
        for (std::size_t i = begin; i < end; ++i) {
            begun |= !m_chunks[i].taken.empty();
            if (m_chunks[i].result || !m_chunks[i].ranks.empty())
                continue;
            first = first.value_or(i);
            ++left;
        }
        const std::size_t worth = begin / together == portion ? together + 2 : begun ? left : together + 1;
        if (first && worth > most) {
            best = first;
            most = worth;
        }
    }
    return best;
}

std::optional<int> ChunkQueue::claim(int rank, Time now)
{
    if (const auto free = firstFree(rank)) {
        give(*free, rank, now);
        return static_cast<int>(*free);
    }
    std::optional<std::size_t> late;
    for (std::size_t i = 0; i < m_chunks.size(); ++i) {
        const Chunk& chunk = m_chunks[i];
        if (!chunk.result && chunk.ranks.size() == 1 && chunk.ranks.front() != rank
            && (!late || chunk.since < m_chunks[*late].since))
            late = i;
    }
    if (!late || m_took.empty() || now - m_chunks[*late].since <= 2 * m_took[m_took.size() / 2])
        return {};
    give(*late, rank, now);
    return static_cast<int>(*late);
}

bool ChunkQueue::finish(int rank, int chunk, std::string result, Time now)
{
    if (chunk < 0 || chunk >= size())
        return false;
    Chunk& one = m_chunks[static_cast<std::size_t>(chunk)];
    if (std::find(one.taken.begin(), one.taken.end(), rank) == one.taken.end())
        return false;
    if (one.result)
        return true;
    one.result = std::move(result);
    one.by = rank;
    const Time::duration took = now - one.since;
    m_took.insert(std::lower_bound(m_took.begin(), m_took.end(), took), took);
    ++m_finished;
    return true;
}

void ChunkQueue::lose(int rank)
{
    for (Chunk& chunk : m_chunks)
        std::erase(chunk.ranks, rank);
}

std::vector<std::string> ChunkQueue::results()
{
    std::vector<std::string> all;
    for (Chunk& chunk : m_chunks)
        all.push_back(std::move(*chunk.result));
    return all;
}

int ChunkQueue::finishedBy(int rank) const
{
    return static_cast<int>(
        std::count_if(m_chunks.begin(), m_chunks.end(), [&](const Chunk& chunk) { return chunk.by == rank; }));
}

} // namespace headscope::engine
