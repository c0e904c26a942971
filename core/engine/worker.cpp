// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/worker.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <chrono>
#include <new>

namespace headscope::engine {

namespace {

constexpr auto kReportInterval = std::chrono::milliseconds(40);

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

} // namespace

Error describeException()
{
    try {
        throw;
    } catch (const c10::OutOfMemoryError& error) {
        return {Error::Kind::Memory,
                "The device's memory is not enough; try a shorter prompt, fewer heads or --dtype bf16.", error.what()};
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

Worker::Worker(int threads)
    : m_thread([this, threads](const std::stop_token& stop) {
          if (threads > 0)
              at::set_num_threads(threads);
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

Ticket Worker::post(Priority priority, Job job, Failed failed, std::function<void(const Progress&)> report)
{
    const auto once = [job = std::move(job)](const Control& control) {
        job(control);
        return false;
    };
    return postSteps(priority, once, std::move(failed), std::move(report));
}

Ticket Worker::postSteps(Priority priority, Step step, Failed failed, std::function<void(const Progress&)> report)
{
    const std::lock_guard lock(m_mutex);
    const Ticket ticket = m_nextTicket++;
    queue(priority).push_back({ticket, priority, std::move(step), std::move(failed), throttled(std::move(report)), {}});
    m_wake.notify_one();
    return ticket;
}

void Worker::cancel(Ticket ticket)
{
    const std::lock_guard lock(m_mutex);
    if (ticket == m_runningTicket)
        m_runningStop.request_stop();
    // A waiting job is left in its queue: it is told on the worker, as a running one would be.
    for (auto* queue : {&m_foreground, &m_background})
        for (Entry& entry : *queue)
            if (entry.ticket == ticket)
                entry.stop.request_stop();
    m_wake.notify_one();
}

void Worker::cancelAll()
{
    const std::lock_guard lock(m_mutex);
    m_runningStop.request_stop();
    for (auto* queue : {&m_foreground, &m_background})
        for (Entry& entry : *queue)
            entry.stop.request_stop();
    m_wake.notify_one();
}

bool Worker::foregroundWaiting() const
{
    const std::lock_guard lock(m_mutex);
    return !m_foreground.empty();
}

void Worker::run(const std::stop_token& stop)
{
    while (true) {
        Entry entry;
        {
            std::unique_lock lock(m_mutex);
            m_runningTicket = 0;
            if (!m_wake.wait(lock, stop, [this] { return !m_foreground.empty() || !m_background.empty(); }))
                return;
            auto& next = m_foreground.empty() ? m_background : m_foreground;
            entry = std::move(next.front());
            next.pop_front();
            m_runningTicket = entry.ticket;
            m_runningStop = entry.stop;
        }
        if (execute(entry)) {
            const std::lock_guard lock(m_mutex);
            queue(entry.priority).push_front(std::move(entry));
        }
    }
}

bool Worker::execute(Entry& entry)
{
    const Control control{entry.stop.get_token(), entry.report};
    if (control.stopped()) {
        entry.failed(cancelledError());
        return false;
    }
    try {
        return entry.step(control);
    } catch (...) {
        entry.failed(describeException());
    }
    return false;
}

} // namespace headscope::engine
