// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The one thread that touches weights and tensors: runs posted jobs one after another, urgent ones first. The object is
// used from one other thread (the GUI's); jobs run on the worker.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/ticket.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

namespace headscope::engine {

/// Foreground: what a person waits for (a click). Background: sweeps and warm-ups.
enum class Priority { Foreground, Background };

class Worker
{
public:
    /// `threads`: processor threads of tensor work; 0: the library's default.
    explicit Worker(int threads = 0);
    /// Stops and joins.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// A job returns an error only for its own book-keeping: exceptions become `failed`. Both callbacks run on the
    /// worker.
    using Job = std::function<void(const Control&)>;
    using Failed = std::function<void(const Error&)>;
    Ticket post(Priority priority, Job job, Failed failed, std::function<void(const Progress&)> report = {});

    /// A long job in steps: called again until it returns false. Between two steps every waiting foreground job runs.
    using Step = std::function<bool(const Control&)>;
    Ticket postSteps(Priority priority, Step step, Failed failed, std::function<void(const Progress&)> report = {});

    /// Stops the job if it runs (its Control says so), removes it if it waits; then its `failed` gets a Cancelled
    /// error.
    void cancel(Ticket ticket);
    void cancelAll();
    /// True when a foreground job waits.
    [[nodiscard]] bool foregroundWaiting() const;

private:
    struct Entry {
        Ticket ticket = 0;
        Priority priority = Priority::Foreground;
        Step step;
        Failed failed;
        std::function<void(const Progress&)> report;
        std::stop_source stop;
    };
    void run(const std::stop_token& stop);
    [[nodiscard]] std::deque<Entry>& queue(Priority priority)
    {
        return priority == Priority::Foreground ? m_foreground : m_background;
    }
    /// True when the job wants another step.
    [[nodiscard]] static bool execute(Entry& entry);

    mutable std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Entry> m_foreground, m_background;
    Ticket m_nextTicket = 1;
    Ticket m_runningTicket = 0;
    std::stop_source m_runningStop;
    std::jthread m_thread; ///< last: stopped and joined first
};

/// The sentence for whatever was thrown: out of memory, a library's error, anything else.
[[nodiscard]] Error describeException();

} // namespace headscope::engine
