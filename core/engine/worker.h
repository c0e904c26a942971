// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The one thread that touches weights and tensors: runs posted jobs in steps, the most urgent first, and lets what a
// person looks at come in the middle of what is measured. Used from any thread; jobs run on the worker.

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

/// What a step is given. `stop` also asks it to end early, for something more urgent; what was done is kept then.
struct Turn : Control {
    std::stop_token cancelled;

    /// Stopped, to go on later.
    [[nodiscard]] bool gaveWay() const { return stop.stop_requested() && !cancelled.stop_requested(); }
};

/// What comes after a step of a job.
enum class Next {
    End,
    Again,
    AgainLater ///< when nothing else is wanted: from now on the job belongs to the rest
};

/// What is done on the worker when nothing was to do for so long.
struct Rest {
    std::function<void()> begins = {};
    std::chrono::milliseconds after = std::chrono::seconds(30);
};

class Worker
{
public:
    /// `threads`: processor threads of tensor work; 0: the library's default.
    explicit Worker(int threads = 0, Rest rest = {});
    /// Stops and joins.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// A job returns an error only for its own book-keeping: exceptions become `failed`. Both callbacks run on the
    /// worker. It is never asked to give way; what may come in its middle does.
    using Job = std::function<void(const Control&)>;
    using Failed = std::function<void(const Error&)>;
    Ticket post(Urgency urgency, Job job, Failed failed, std::function<void(const Progress&)> report = {});

    /// A long job in steps, which continue where they ended.
    using Step = std::function<Next(const Turn&)>;
    Ticket postSteps(Urgency urgency, Step step, Failed failed, std::function<void(const Progress&)> report = {});

    /// Stops the job if it runs (its Control says so), removes it if it waits; then its `failed` gets a Cancelled
    /// error.
    void cancel(Ticket ticket);
    void cancelAll();
    /// True when a job of this urgency waits.
    [[nodiscard]] bool waits(Urgency urgency) const;

private:
    struct Entry {
        Urgency urgency = Urgency::Look;
        bool inSteps = false;
        Step step;
        Failed failed;
        std::function<void(const Progress&)> report;
        std::stop_source cancel;
        std::stop_source turn; ///< of the turn that runs
    };
    Ticket add(Entry entry);
    void run(const std::stop_token& stop);
    void runTurn(Ticket ticket);
    /// What comes in the middle of the turn that runs.
    void giveTurns();
    [[nodiscard]] static Next execute(Entry& entry);

    const Rest m_rest;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_wake;
    Scheduler m_scheduler;
    std::map<Ticket, std::shared_ptr<Entry>> m_entries; ///< that have not ended
    std::vector<std::shared_ptr<Entry>> m_running;      ///< the innermost last
    std::atomic<std::size_t> m_waiting = 0;             ///< jobs of the scheduler that wait
    Ticket m_nextTicket = 1;
    std::jthread m_thread; ///< last: stopped and joined first
};

/// The sentence for whatever was thrown: out of memory, a library's error, anything else.
[[nodiscard]] Error describeException();

} // namespace headscope::engine
