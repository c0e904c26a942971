// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A cache of the scored rows of one model in recent states. Worker thread only.

#include "app/notebook/evaluation.h"

#include <cstdint>
#include <map>
#include <memory>

namespace headscope::app {

/// The known rows of one benchmark under one set.
struct KnownRows {
    std::shared_ptr<const engine::Benchmark> benchmark; ///< kept alive while its address is used as a key
    engine::Rows rows;
    std::optional<Evaluation> evaluation; ///< nothing: not started
    std::uint64_t session = 0;            ///< session in which it was started, by the count of sessions opened
    std::int64_t used = 0;                ///< clock of its last use
};

/// The most recently used states. An afternoon of clicks scores thousands of them, each with some 100 bytes per row.
class RowCache
{
public:
    static constexpr std::size_t kMostRows = 200'000; ///< about 70 MB; a hundred states of the shipped models
    RowCache() = default;
    explicit RowCache(std::size_t mostRows) : m_most(mostRows) {}

    /// Returns the rows of a state, empty for a new one. If there are too many, the least recently used are removed;
    /// those still in use elsewhere stay.
    [[nodiscard]] std::shared_ptr<KnownRows> of(const std::shared_ptr<const engine::Benchmark>& benchmark,
                                                const std::string& set);
    void clear() { m_states.clear(); }
    [[nodiscard]] std::size_t rows() const;

private:
    void makeRoom();
    std::size_t m_most = kMostRows;
    std::int64_t m_clock = 0;
    std::map<std::pair<const engine::Benchmark*, std::string>, std::shared_ptr<KnownRows>>
        m_states; ///< by ablation text
};

} // namespace headscope::app
