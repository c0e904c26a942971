// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is known of the states of one model that were scored. Worker thread only.

#include "app/notebook/evaluation.h"

#include <cstdint>
#include <map>
#include <memory>

namespace headscope::app {

/// Rows of one benchmark under one set, as far as they are known.
struct KnownRows {
    std::shared_ptr<const engine::Benchmark> benchmark; ///< lives as long as this is known by its address
    engine::Rows rows;
    std::optional<Evaluation> evaluation; ///< nothing: not begun
    std::uint64_t session = 0;            ///< in which it was begun, as the state counts them
    std::int64_t used = 0;                ///< when last
};

/// The states that were used last. An afternoon of clicks scores thousands of them, each with some hundred bytes a row.
class RowCache
{
public:
    static constexpr std::size_t kMostRows = 200'000; ///< about 70 MB; a hundred states of the shipped models
    RowCache() = default;
    explicit RowCache(std::size_t mostRows) : m_most(mostRows) {}

    /// Empty rows for what is new. What was not used for longest goes when there is too much; what somebody holds
    /// stays.
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
