// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The scoreboard's numbers, some examples at a time: in turns over the benchmarks, the baseline's rows just ahead of
// those of the state now, so that the first estimate is early and what a person waits for ends. Worker thread.

#include "app/backend/scoring.h"

#include <chrono>

namespace headscope::app {

class ScoreJob
{
public:
    /// `pinned`: the task that is first and waited for to its last example; empty: none. `patience`: for how long a
    /// person waits at the most; then it goes on when nobody waits for anything.
    ScoreJob(ModelState now, ModelState reference, std::vector<std::string> tasks, std::string pinned,
             std::chrono::milliseconds patience);

    /// One portion of one benchmark; `stream` gets an estimate every 40 ms and behind the portion. False when all rows
    /// are in. When stopped, it goes on where it was.
    [[nodiscard]] Result<bool> step(Backend::State& state, const Backend::Reply<ScoreReply>& stream,
                                    const Control& control);
    [[nodiscard]] const ScoreReply& reply() const { return m_reply; }
    /// Whether there is time left, and something is undecided or only just begun.
    [[nodiscard]] bool isWaitedFor() const;
    /// From now on nobody waits.
    void goOnLater();

private:
    struct Task {
        PairedBenchmark benchmark; ///< null: not made yet
        std::int64_t tokens = 0;   ///< run so far
        bool decided = false;      ///< at any time: that is enough
        bool over = false;
    };
    /// What a step runs.
    struct Portion {
        std::size_t task = 0;
        bool ofReference = false;
        engine::Portion rows;
    };
    [[nodiscard]] bool isPinned(std::size_t task) const { return m_names[task] == m_pinned; }
    [[nodiscard]] Result<void> start(Backend::State& state);
    [[nodiscard]] Result<void> make(Backend::State& state, std::size_t task);
    /// The next portion of a task; without rows where all are in.
    [[nodiscard]] Result<Portion> nextOf(Backend::State& state, std::size_t task);
    [[nodiscard]] std::optional<std::size_t> nextTask(const Backend::State& state) const; ///< nothing: all are over
    [[nodiscard]] std::optional<Portion> next(Backend::State& state);
    [[nodiscard]] Result<void> run(Backend::State& state, const Portion& portion,
                                   const Backend::Reply<ScoreReply>& stream, const Control& control);
    [[nodiscard]] Result<void> finish(Backend::State& state, std::size_t task);
    /// Rows of a portion stream in; a portion is over; all are in.
    enum class Look { Streaming, Between, Final };
    [[nodiscard]] Result<void> updateLine(Backend::State& state, std::size_t task, Look look);
    void fail(std::size_t task, const Error& error);
    void count();

    ModelState m_now, m_reference;
    std::vector<std::string> m_names;
    std::string m_pinned;
    std::chrono::milliseconds m_patience;
    std::chrono::steady_clock::time_point m_started, m_streamed;
    SideModel m_after, m_before;
    std::vector<Task> m_tasks;
    ScoreReply m_reply;
    bool m_later = false;
};

} // namespace headscope::app
