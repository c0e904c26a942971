// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The one thread that touches weights and tensors: runs posted jobs in steps, the most urgent first, and lets
// interactive work run in the middle of measurements. Used from any thread; jobs run on the worker.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/ticket.h"
#include "core/engine/scheduler.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace headscope::engine {

/// Arguments of a step. `stop` also asks it to end early for more urgent work; finished work is then kept.
struct Turn : Control {
    std::stop_token cancelled;

    /// Returns whether it was stopped only to continue later.
    [[nodiscard]] bool yielded() const { return stop.stop_requested() && !cancelled.stop_requested(); }
};

/// What follows a step of a job.
enum class Next {
    End,
    Again,
    AgainLater ///< when nothing else waits: from now on the job has urgency Rest
};

/// Called on the worker after it has been idle for `after`.
struct Rest {
    std::function<void()> begins = {};
    std::chrono::milliseconds after = std::chrono::seconds(30);
};

class Worker
{
public:
    /// `threads`: CPU threads of tensor operations; 0: the library's default.
    explicit Worker(int threads = 0, Rest rest = {});
    /// Stops and joins.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// A job returns an error only for its own book-keeping: exceptions become `failed`. Both callbacks run on the
    /// worker. It is never asked to give way; other jobs may still run in its middle.
    using Job = std::function<void(const Control&)>;
    using Failed = std::function<void(const Error&)>;
    Ticket post(Urgency urgency, Job job, Failed failed, std::function<void(const Progress&)> report = {});

    /// A long job in steps, each of which continues where the last ended.
    using Step = std::function<Next(const Turn&)>;
    Ticket postSteps(Urgency urgency, Step step, Failed failed, std::function<void(const Progress&)> report = {});

    /// Stops the job if it runs (its Control says so), removes it if it waits; its `failed` then receives a Cancelled
    /// error.
    void cancel(Ticket ticket);
    void cancelAll();
    /// Returns whether a job of this urgency waits.
    [[nodiscard]] bool waits(Urgency urgency) const;

private:
    struct Entry {
        Urgency urgency = Urgency::Look;
        bool inSteps = false;
        Step step;
        Failed failed;
        std::function<void(const Progress&)> report;
        std::stop_source cancel;
        std::stop_source turn; ///< stop source of the running turn
    };
    Ticket add(Entry entry);
    void run(const std::stop_token& stop);
    void runTurn(Ticket ticket);
    /// Runs jobs that may come in the middle of the running turn.
    void runTurns();
    [[nodiscard]] static Next execute(Entry& entry);

    const Rest m_rest;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_wake;
    Scheduler m_scheduler;
    std::map<Ticket, std::shared_ptr<Entry>> m_entries; ///< jobs that have not ended
    std::vector<std::shared_ptr<Entry>> m_running;      ///< innermost last
    std::atomic<std::size_t> m_waiting = 0;             ///< jobs waiting in the scheduler
    Ticket m_nextTicket = 1;
    std::jthread m_thread; ///< last: stopped and joined first
};

/// Returns the error for whatever was thrown: out of memory, a library's error, anything else.
[[nodiscard]] Error describeException();

} // namespace headscope::engine
