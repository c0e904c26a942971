// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Who of several processes runs which chunk of a piece of work: the next free one takes it, so a slow process
// takes few, a late one fewer, and what a lost one had goes to the others. Knows neither threads nor clocks; times are
// reported.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headscope::engine {

/// In how many portions the examples are cut at most. Who runs a portion runs its baseline once, and who helps with the
/// last ones runs that of a portion again: an eighth of a process's share. Of few pieces more, so that there are chunks
/// enough.
[[nodiscard]] constexpr int mostPortions(int pieces, int processes)
{
    constexpr int kEach = 8, kTurns = 64;
    return processes * std::max(kEach, kTurns / std::max(pieces, 1));
}

/// How `pieces` (states of the model) on each of some portions of the examples become chunks.
struct Cut {
    int portions = 1;
    int each = 1;     ///< pieces of a chunk; of a portion's last one, what is left
    int together = 1; ///< chunks of a portion

    [[nodiscard]] constexpr int chunks() const { return portions * together; }
};

/// A chunk is a 64th of a process's share, so that nobody waits long for the last one, and a piece at least. With an
/// eighth the end cost up to a tenth of the run (`bench scaling`); a chunk costs two messages, which is nothing beside
/// a head.
[[nodiscard]] constexpr Cut cutWork(int pieces, int portions, int processes)
{
    constexpr std::int64_t kTurns = 64;
    const std::int64_t share = std::int64_t{pieces} * portions / (kTurns * processes);
    const int each = static_cast<int>(share < 1 ? 1 : share > pieces ? pieces : share);
    return {portions, each, (pieces + each - 1) / each};
}

class ChunkQueue
{
public:
    using Time = std::chrono::steady_clock::time_point;

    /// `together`: number of consecutive chunks of one portion, of which a process keeps something from chunk to chunk;
    /// 0: all are of one.
    explicit ChunkQueue(int chunks, int together = 0)
        : m_together(together > 0 ? together : std::max(chunks, 1)), m_chunks(static_cast<std::size_t>(chunks))
    {
    }

    [[nodiscard]] int size() const { return static_cast<int>(m_chunks.size()); }
    [[nodiscard]] int together() const { return m_together; }
    /// The first chunk that nobody has: of the portion that the process took from last, else of one that nobody has
    /// begun, else of the one with the most left. Where all are taken: one that another process has had for more than
    /// twice as long as chunks took in the median so far, and that no second one runs yet. None: there is nothing to do
    /// now.
    [[nodiscard]] std::optional<int> claim(int rank, Time now);
    /// The first result of a chunk stays. False for a number that is not a chunk, or that this process never took.
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
    [[nodiscard]] std::optional<std::size_t> firstFree(int rank) const;

    int m_together;
    std::vector<Chunk> m_chunks;
    std::map<int, int> m_portionOf;     ///< by rank: that it took from last
    std::vector<Time::duration> m_took; ///< of finished chunks, sorted
    std::size_t m_finished = 0;
};

} // namespace headscope::engine
