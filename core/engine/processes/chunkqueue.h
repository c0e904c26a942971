// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Who of several processes runs which chunk of a piece of work: whoever is free takes the next one, so a slow process
// takes few, a late one fewer, and what a lost one had goes to the others. Knows neither threads nor clocks; times are
// told.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace headscope::engine {

/// How many of so many pieces make a chunk: a 64th of a process's share, so that nobody waits long for the last one,
/// and one at least. With an eighth the end cost up to a tenth of the run (`bench scaling`); a chunk costs two
/// messages, which is nothing beside a head.
[[nodiscard]] constexpr int piecesOfChunk(int pieces, int processes)
{
    constexpr int kTurns = 64;
    return pieces / (kTurns * processes) > 1 ? pieces / (kTurns * processes) : 1;
}
/// How many chunks these are.
[[nodiscard]] constexpr int chunksOf(int pieces, int processes)
{
    const int each = piecesOfChunk(pieces, processes);
    return (pieces + each - 1) / each;
}

class ChunkQueue
{
public:
    using Time = std::chrono::steady_clock::time_point;

    explicit ChunkQueue(int chunks) : m_chunks(static_cast<std::size_t>(chunks)) {}

    [[nodiscard]] int size() const { return static_cast<int>(m_chunks.size()); }
    /// The first chunk that nobody has. Where all are taken: one that another process has had for more than twice as
    /// long as chunks took in the median so far, and that no second one runs yet. None: there is nothing to do now.
    [[nodiscard]] std::optional<int> claim(int rank, Time now);
    /// The first result of a chunk stays. False for a number that is no chunk, or that this process never took.
    [[nodiscard]] bool finish(int rank, int chunk, std::string result, Time now);
    /// What the process had not finished is to be had again.
    void lose(int rank);

    [[nodiscard]] bool done() const { return m_finished == m_chunks.size(); }
    /// Of all chunks, in their order; call it once, when done.
    [[nodiscard]] std::vector<std::string> results();
    /// How many chunks' results came from a process.
    [[nodiscard]] int finishedBy(int rank) const;

private:
    struct Chunk {
        std::vector<int> ranks; ///< that run it
        Time since{};           ///< the last of them
        std::optional<std::string> result;
        int by = -1;            ///< whose result it is
        std::vector<int> taken; ///< everyone who ever took it
    };
    Chunk& give(std::size_t chunk, int rank, Time now);

    std::vector<Chunk> m_chunks;
    std::vector<Time::duration> m_took; ///< of finished chunks, sorted
    std::size_t m_finished = 0;
};

} // namespace headscope::engine
