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
    return one;
}

std::optional<int> ChunkQueue::claim(int rank, Time now)
{
    std::optional<std::size_t> late;
    for (std::size_t i = 0; i < m_chunks.size(); ++i) {
        const Chunk& chunk = m_chunks[i];
        if (chunk.result)
            continue;
        if (chunk.ranks.empty()) {
            give(i, rank, now);
            return static_cast<int>(i);
        }
        if (chunk.ranks.size() == 1 && chunk.ranks.front() != rank && (!late || chunk.since < m_chunks[*late].since))
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
