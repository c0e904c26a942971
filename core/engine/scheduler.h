// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whose turn it is on the one thread that works: what a person looks at before what is measured, that before what
// nobody waits for, and nothing for ever last. Knows tickets and times, no work and no clock. One thread at a time.

#include "core/base/ticket.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace headscope::engine {

/// The more urgent first. Look and Preview only read what other jobs work with, so they may come in the middle of one.
enum class Urgency : std::uint8_t {
    Look,       ///< what is on the screen: a pattern, a row, a hovered thumbnail, the next token
    Change,     ///< opens, closes, sets: between jobs only, and nothing that is asked for later comes before it
    Preview,    ///< what may be looked at next: thumbnails, the layers of a prompt
    Score,      ///< what a click cost
    Background, ///< rankings, curves
    Rest        ///< scores that go on after their time: a tenth while anything else is wanted
};

inline constexpr std::size_t kUrgencies = 6;

struct Fairness {
    std::chrono::nanoseconds patience = std::chrono::seconds(1); ///< no class that has work waits for less than this
    int share = 9; ///< a class that has work gets a turn after this multiple of the last turn of the next job
};

/// A turn is one step of a job. Turns nest: one that may come in the middle of another ends before the other continues.
class Scheduler
{
public:
    using Time = std::chrono::nanoseconds; ///< since any moment that stays the same

    explicit Scheduler(Fairness fairness = {}) : m_fairness(fairness) {}

    /// `inSteps`: its turns can end early; scores come in the middle of background work that cannot.
    void add(Ticket ticket, Urgency urgency, Time now, bool inSteps = true);
    /// A job that waits gets its turn before all others, so that its end is reported; it does nothing in it. One that
    /// runs lets nothing more come in its middle.
    void cancel(Ticket ticket);
    void cancelAll();

    /// Begins the next turn; nothing runs. Nothing: no job waits.
    [[nodiscard]] std::optional<Ticket> next(Time now);
    /// Begins a turn in the middle of the innermost one, if somebody waits who may. `worked`: the innermost one has
    /// done something since it began or since the last question.
    [[nodiscard]] std::optional<Ticket> between(Time now, bool worked);
    /// Whether the innermost turn should end early, because something more urgent waits that cannot come in its
    /// middle.
    [[nodiscard]] bool shouldEnd() const;

    /// The innermost turn is over, and with it its job.
    void ended(Time now);
    /// The innermost turn is over; its job waits for another one. Jobs that nobody waits for share time, not turns.
    void again(Urgency urgency, Time now);

    [[nodiscard]] bool idle() const { return m_running.empty() && waiting() == 0; }
    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] bool waits(Urgency urgency) const { return !of(urgency).waiting.empty(); }

private:
    struct Job {
        Ticket ticket = 0;
        std::uint64_t asked = 0; ///< in which order jobs were added
        bool inSteps = true;
        Time lastTurn{0}; ///< how long that was, without what came in its middle
        Time used{0};     ///< of its turns in this class, counted from what the others had when it came
    };
    struct Class {
        std::deque<Job> waiting; ///< who waits for longest first; from Background on who has used least
        Time least{0};           ///< what the last one that got a turn had used before it
        std::size_t running = 0;
        Time served{0}; ///< when its last turn ended, or when it got work again
    };
    struct Turn {
        Job job;
        Urgency urgency = Urgency::Look;
        Time resumed{0};        ///< since when it works itself
        Time worked{0};         ///< before that
        bool owed = false;      ///< it was due although something more urgent waited: it may finish its step
        bool cancelled = false; ///< it only reports its end
        bool stopped = false;   ///< it ends as soon as it can
    };
    [[nodiscard]] Class& of(Urgency urgency) { return m_classes[static_cast<std::size_t>(urgency)]; }
    [[nodiscard]] const Class& of(Urgency urgency) const { return m_classes[static_cast<std::size_t>(urgency)]; }
    void wait(Urgency urgency, const Job& job);
    /// What a job that comes new to a class starts with: no less than those that wait there, so that a stream of new
    /// ones keeps nobody waiting.
    [[nodiscard]] static Time start(const Class& own)
    {
        return own.waiting.empty() ? own.least : own.waiting.front().used;
    }
    [[nodiscard]] bool isOwed(Urgency urgency, Time now) const;
    /// The first job of a class that no waiting change is before.
    [[nodiscard]] bool ready(Urgency urgency) const;
    /// Whether it may run in the middle of the innermost turn.
    [[nodiscard]] bool fitsInside(Urgency urgency) const;
    [[nodiscard]] Ticket begin(Urgency urgency, bool owed, Time now);
    [[nodiscard]] std::optional<Ticket> beginCancelled(Time now);
    void enter(const Turn& turn, Time now);
    void leave(Time now);

    Fairness m_fairness;
    std::array<Class, kUrgencies> m_classes;
    std::vector<Job> m_cancelled; ///< whose end is not reported yet
    std::vector<Turn> m_running;  ///< the innermost last
    std::uint64_t m_asked = 0;
};

} // namespace headscope::engine
