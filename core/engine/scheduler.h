// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Decides which job runs next on the worker thread: interactive views before measurements, measurements before
// background work, and no job waits forever. Knows tickets and times, but neither work nor clock. One thread at a time.

#include "core/base/ticket.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace headscope::engine {

/// Most urgent first. Look and Preview only read data that other jobs use, so they may run in the middle of one.
enum class Urgency : std::uint8_t {
    Look,       ///< visible now: a pattern, a row, a hovered thumbnail, the next token
    Change,     ///< opens, closes, sets: only between jobs, and nothing requested later runs before it
    Preview,    ///< possibly visible next: thumbnails, the layers of a prompt
    Score,      ///< the cost of a click
    Background, ///< rankings, curves
    Rest        ///< scores that exceeded their time: a tenth of the time while others wait
};

inline constexpr std::size_t kUrgencies = 6;

struct Fairness {
    std::chrono::nanoseconds patience = std::chrono::seconds(1); ///< a class with work waits at most this long
    int share = 9; ///< a class with work gets a turn after this multiple of the last turn of its next job
};

/// A turn is one step of a job. Turns nest: one that runs in the middle of another ends before the other continues.
class Scheduler
{
public:
    using Time = std::chrono::nanoseconds; ///< since any fixed moment

    explicit Scheduler(Fairness fairness = {}) : m_fairness(fairness) {}

    /// `inSteps`: its turns can end early; scores run in the middle of background work that cannot.
    void add(Ticket ticket, Urgency urgency, Time now, bool inSteps = true);
    /// Cancels a job. If it waits, it gets its turn before all others, only to report its end; if it runs, nothing more
    /// runs in its middle.
    void cancel(Ticket ticket);
    void cancelAll();

    /// Begins the next turn; nothing may be running. Returns nothing if no job waits.
    [[nodiscard]] std::optional<Ticket> next(Time now);
    /// Begins a turn in the middle of the innermost one, if a waiting job may run there. `worked`: whether the
    /// innermost one has done something since it began or since the last call.
    [[nodiscard]] std::optional<Ticket> between(Time now, bool worked);
    /// Returns whether the innermost turn should end early, because a more urgent job waits that cannot run in its
    /// middle.
    [[nodiscard]] bool shouldEnd() const;

    /// Ends the innermost turn and its job.
    void ended(Time now);
    /// Ends the innermost turn; its job waits for another one. Background jobs share time rather than turns.
    void again(Urgency urgency, Time now);

    [[nodiscard]] bool idle() const { return m_running.empty() && waiting() == 0; }
    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] bool waits(Urgency urgency) const { return !of(urgency).waiting.empty(); }

private:
    struct Job {
        Ticket ticket = 0;
        std::uint64_t asked = 0; ///< order in which jobs were added
        bool inSteps = true;
        Time lastTurn{0}; ///< duration, without nested turns
        Time used{0};     ///< time of its turns in this class, starting from the others' time when it arrived
    };
    struct Class {
        std::deque<Job> waiting; ///< longest waiting first; from Background on least used first
        Time least{0};           ///< time used by the last job that got a turn, before that turn
        std::size_t running = 0;
        Time served{0}; ///< when its last turn ended, or when it last got work
    };
    struct Turn {
        Job job;
        Urgency urgency = Urgency::Look;
        Time resumed{0};        ///< since when it works itself
        Time worked{0};         ///< work time before that
        bool owed = false;      ///< it was due although something more urgent waited: it may finish its step
        bool cancelled = false; ///< only reports its end
        bool stopped = false;   ///< ends as soon as it can
    };
    [[nodiscard]] Class& of(Urgency urgency) { return m_classes[static_cast<std::size_t>(urgency)]; }
    [[nodiscard]] const Class& of(Urgency urgency) const { return m_classes[static_cast<std::size_t>(urgency)]; }
    void wait(Urgency urgency, const Job& job);
    /// Returns the starting time of a job new to a class: at least that of the jobs waiting there, so that a stream of
    /// new jobs does not starve them.
    [[nodiscard]] static Time start(const Class& own)
    {
        return own.waiting.empty() ? own.least : own.waiting.front().used;
    }
    [[nodiscard]] bool isOwed(Urgency urgency, Time now) const;
    /// Returns whether the first job of a class may run, with no earlier change waiting before it.
    [[nodiscard]] bool ready(Urgency urgency) const;
    /// Returns whether it may run in the middle of the innermost turn.
    [[nodiscard]] bool fitsInside(Urgency urgency) const;
    [[nodiscard]] Ticket begin(Urgency urgency, bool owed, Time now);
    [[nodiscard]] std::optional<Ticket> beginCancelled(Time now);
    void enter(const Turn& turn, Time now);
    void leave(Time now);

    Fairness m_fairness;
    std::array<Class, kUrgencies> m_classes;
    std::vector<Job> m_cancelled; ///< jobs whose end is not yet reported
    std::vector<Turn> m_running;  ///< the innermost last
    std::uint64_t m_asked = 0;
};

} // namespace headscope::engine
