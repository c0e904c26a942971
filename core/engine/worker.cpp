// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/worker.h"

#include "core/base/failure.h"
#include "core/base/giveway.h"
#include "core/lm/device/threads.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include <chrono>
#include <new>

namespace headscope::engine {

namespace {

constexpr auto kReportInterval = std::chrono::milliseconds(40);
constexpr auto kPause = std::chrono::seconds(2); // without work: what follows is not a click right behind the last one

std::string firstLine(const std::string& text)
{
    return text.substr(0, text.find('\n'));
}

// Lets a report through every 40 ms, and the last one of a stage always.
std::function<void(const Progress&)> throttled(std::function<void(const Progress&)> report)
{
    if (!report)
        return {};
    auto last = std::make_shared<std::chrono::steady_clock::time_point>();
    return [report = std::move(report), last](const Progress& progress) {
        const auto now = std::chrono::steady_clock::now();
        if (progress.done < progress.total && now - *last < kReportInterval)
            return;
        *last = now;
        report(progress);
    };
}

Scheduler::Time now()
{
    return std::chrono::steady_clock::now().time_since_epoch();
}

} // namespace

Error describeException()
{
    try {
        throw;
    } catch (const c10::OutOfMemoryError& error) {
        return {Error::Kind::Memory,
                "The device's memory is not enough; try a shorter prompt, fewer heads or --dtype bf16.", error.what()};
    } catch (const Failure& failure) {
        return failure.error();
    } catch (const std::bad_alloc&) {
        return {
            Error::Kind::Memory, "The memory is not enough; try a shorter prompt, fewer heads or --dtype bf16.", {}};
    } catch (const std::exception& error) {
        const std::string text = error.what();
        if (text.find("not enough memory") != std::string::npos
            || text.find("can't allocate memory") != std::string::npos)
            return {Error::Kind::Memory, "The memory is not enough; try a shorter prompt, fewer heads or --dtype bf16.",
                    text};
        return {Error::Kind::Internal, "Unexpected failure: " + firstLine(text), text};
    } catch (...) {
        return {Error::Kind::Internal, "Unexpected failure of an unknown kind.", {}};
    }
}

Worker::Worker(int threads, Rest rest)
    : m_rest(std::move(rest)), m_thread([this, threads](const std::stop_token& stop) {
          lm::setThreads(threads > 0 ? threads : lm::threads());
          run(stop);
      })
{
}

Worker::~Worker()
{
    cancelAll();
    m_thread.request_stop();
    m_thread.join();
}

Ticket Worker::post(Urgency urgency, Job job, Failed failed, std::function<void(const Progress&)> report)
{
    const auto once = [job = std::move(job)](const Turn& turn) {
        job(turn);
        return Next::End;
    };
    return add({urgency, false, once, std::move(failed), throttled(std::move(report)), {}, {}});
}

Ticket Worker::postSteps(Urgency urgency, Step step, Failed failed, std::function<void(const Progress&)> report)
{
    return add({urgency, true, std::move(step), std::move(failed), throttled(std::move(report)), {}, {}});
}

Ticket Worker::add(Entry entry)
{
    const std::lock_guard lock(m_mutex);
    const Ticket ticket = m_nextTicket++;
    m_scheduler.add(ticket, entry.urgency, now(), entry.inSteps);
    m_entries[ticket] = std::make_shared<Entry>(std::move(entry));
    m_waiting = m_scheduler.waiting();
    m_wake.notify_one();
    return ticket;
}

void Worker::cancel(Ticket ticket)
{
    const std::lock_guard lock(m_mutex);
    const auto entry = m_entries.find(ticket);
    if (entry == m_entries.end())
        return;
    entry->second->cancel.request_stop();
    // A waiting job is told on the worker, as a running one is.
    m_scheduler.cancel(ticket);
    m_wake.notify_one();
}

void Worker::cancelAll()
{
    const std::lock_guard lock(m_mutex);
    for (const auto& [ticket, entry] : m_entries)
        entry->cancel.request_stop();
    m_scheduler.cancelAll();
    m_wake.notify_one();
}

bool Worker::waits(Urgency urgency) const
{
    const std::lock_guard lock(m_mutex);
    return m_scheduler.waits(urgency);
}

void Worker::run(const std::stop_token& stop)
{
    const GivesWay here([this] { runTurns(); });
    const auto work = [this] { return m_scheduler.waiting() > 0; };
    bool worked = false;
    while (true) {
        Ticket ticket = 0;
        {
            std::unique_lock lock(m_mutex);
            const auto rests = [&](std::chrono::milliseconds pause) {
                return !m_wake.wait_for(lock, stop, pause, work) && !stop.stop_requested();
            };
            if (worked && rests(kPause)) {
                lock.unlock();
                lm::returnFreedMemory();
                lock.lock();
                if (m_rest.begins && rests(m_rest.after)) {
                    lock.unlock();
                    m_rest.begins();
                    lm::returnFreedMemory();
                    lock.lock();
                }
            }
            worked = true;
            if (!m_wake.wait(lock, stop, work))
                return;
            ticket = m_scheduler.next(now()).value();
        }
        runTurn(ticket);
    }
}

void Worker::runTurns()
{
    if (m_waiting == 0 || m_running.empty())
        return;
    for (bool worked = true;; worked = false) {
        Ticket ticket = 0;
        {
            const std::lock_guard lock(m_mutex);
            const auto next = m_scheduler.between(now(), worked);
            if (!next) {
                if (m_scheduler.shouldEnd())
                    m_running.back()->turn.request_stop();
                return;
            }
            ticket = *next;
        }
        // It finds the thread as it would between two jobs, and leaves it as it was.
        const int threads = at::get_num_threads();
        const c10::InferenceMode plain(false);
        const at::AutoGradMode asAtTheStart(true);
        runTurn(ticket);
        if (at::get_num_threads() != threads)
            at::set_num_threads(threads);
    }
}

void Worker::runTurn(Ticket ticket)
{
    std::shared_ptr<Entry> entry;
    {
        const std::lock_guard lock(m_mutex);
        m_waiting = m_scheduler.waiting();
        entry = m_entries.at(ticket);
        m_running.push_back(entry);
    }
    const Next next = execute(*entry);
    const std::lock_guard lock(m_mutex);
    m_running.pop_back();
    if (next == Next::End) {
        m_scheduler.ended(now());
        m_entries.erase(ticket);
    } else {
        entry->urgency = next == Next::AgainLater ? Urgency::Rest : entry->urgency;
        m_scheduler.again(entry->urgency, now());
        if (entry->cancel.stop_requested()) // while it ran
            m_scheduler.cancel(ticket);
    }
    m_waiting = m_scheduler.waiting();
}

Next Worker::execute(Entry& entry)
{
    if (entry.cancel.stop_requested()) {
        entry.failed(cancelledError());
        return Next::End;
    }
    entry.turn = std::stop_source();
    const std::stop_callback both(entry.cancel.get_token(), [&entry] { entry.turn.request_stop(); });
    try {
        return entry.step({{entry.turn.get_token(), entry.report}, entry.cancel.get_token()});
    } catch (...) {
        entry.failed(describeException());
    }
    return Next::End;
}

} // namespace headscope::engine
