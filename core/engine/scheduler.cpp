// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scheduler.h"

#include <algorithm>
#include <numeric>

namespace headscope::engine {

namespace {

constexpr std::array<Urgency, kUrgencies> kAll = {Urgency::Look,  Urgency::Change,     Urgency::Preview,
                                                  Urgency::Score, Urgency::Background, Urgency::Rest};

bool onlyReads(Urgency urgency)
{
    return urgency == Urgency::Look || urgency == Urgency::Preview;
}

} // namespace

void Scheduler::add(Ticket ticket, Urgency urgency, Time now, bool inSteps)
{
    Class& own = of(urgency);
    if (own.waiting.empty() && own.running == 0)
        own.served = now;
    wait(urgency, {.ticket = ticket, .asked = m_asked++, .inSteps = inSteps, .used = start(own)});
}

void Scheduler::wait(Urgency urgency, const Job& job)
{
    auto& waiting = of(urgency).waiting;
    waiting.insert(urgency >= Urgency::Background ? std::ranges::upper_bound(waiting, job.used, {}, &Job::used)
                                                  : waiting.end(),
                   job);
}

void Scheduler::cancel(Ticket ticket)
{
    for (Turn& turn : m_running)
        turn.stopped |= turn.job.ticket == ticket;
    for (Class& own : m_classes) {
        const auto job = std::ranges::find(own.waiting, ticket, &Job::ticket);
        if (job == own.waiting.end())
            continue;
        m_cancelled.push_back(*job);
        own.waiting.erase(job);
        return;
    }
}

void Scheduler::cancelAll()
{
    for (Turn& turn : m_running)
        turn.stopped = true;
    for (Class& own : m_classes) {
        m_cancelled.insert(m_cancelled.end(), own.waiting.begin(), own.waiting.end());
        own.waiting.clear();
    }
}

std::size_t Scheduler::waiting() const
{
    return std::accumulate(m_classes.begin(), m_classes.end(), m_cancelled.size(),
                           [](std::size_t sum, const Class& own) { return sum + own.waiting.size(); });
}

bool Scheduler::isOwed(Urgency urgency, Time now) const
{
    const Class& own = of(urgency);
    // What is new has taken no time: a click after slow ones is as urgent as the first.
    return now - own.served >= std::max<Time>(m_fairness.patience, m_fairness.share * own.waiting.front().lastTurn);
}

bool Scheduler::ready(Urgency urgency) const
{
    const Class& own = of(urgency);
    if (own.waiting.empty())
        return false;
    const auto& changes = of(Urgency::Change).waiting;
    return urgency == Urgency::Change || changes.empty() || own.waiting.front().asked < changes.front().asked;
}

bool Scheduler::fitsInside(Urgency urgency) const
{
    const Turn& innermost = m_running.back();
    // A score that had to wait for what may be looked at next does not wait for it a second time.
    if (urgency == Urgency::Preview && innermost.owed && (innermost.urgency == Urgency::Score || waits(Urgency::Score)))
        return false;
    return urgency < innermost.urgency && (onlyReads(urgency) || (urgency == Urgency::Score && !innermost.job.inSteps));
}

Ticket Scheduler::begin(Urgency urgency, bool owed, Time now)
{
    Class& own = of(urgency);
    const Job job = own.waiting.front();
    own.waiting.pop_front();
    own.least = job.used;
    ++own.running;
    enter({.job = job, .urgency = urgency, .owed = owed}, now);
    return job.ticket;
}

std::optional<Ticket> Scheduler::beginCancelled(Time now)
{
    if (m_cancelled.empty())
        return std::nullopt;
    const Job job = m_cancelled.front();
    m_cancelled.erase(m_cancelled.begin());
    enter({.job = job, .cancelled = true}, now);
    return job.ticket;
}

void Scheduler::enter(const Turn& turn, Time now)
{
    if (!m_running.empty())
        m_running.back().worked += now - m_running.back().resumed;
    m_running.push_back(turn);
    m_running.back().resumed = now;
}

std::optional<Ticket> Scheduler::next(Time now)
{
    if (const auto told = beginCancelled(now))
        return told;
    const auto first = std::ranges::find_if(kAll, [this](Urgency urgency) { return ready(urgency); });
    if (first == kAll.end())
        return std::nullopt;
    // Of those that have waited for too long the most urgent: it is not one of them right after its turn. Changes are
    // few, and others wait for them: no step that may be long begins before one.
    const auto owed =
        waits(Urgency::Change) ? kAll.end() : std::find_if(std::next(first), kAll.end(), [&](Urgency later) {
            return ready(later) && isOwed(later, now);
        });
    return owed != kAll.end() ? begin(*owed, true, now) : begin(*first, false, now);
}

std::optional<Ticket> Scheduler::between(Time now, bool worked)
{
    if (const auto told = beginCancelled(now))
        return told;
    if (m_running.empty() || std::ranges::any_of(m_running, &Turn::stopped))
        return std::nullopt;
    const Turn& innermost = m_running.back();
    Class& own = of(innermost.urgency);
    if (worked)
        own.served = now;
    if (innermost.cancelled || innermost.urgency == Urgency::Change || now - own.served >= m_fairness.patience)
        return std::nullopt;
    for (const Urgency urgency : kAll) {
        if (urgency == Urgency::Change && (waits(urgency) || shouldEnd())) // what is behind it waits for the turn's end
            return std::nullopt;
        if (fitsInside(urgency) && ready(urgency))
            return begin(urgency, false, now);
    }
    return std::nullopt;
}

bool Scheduler::shouldEnd() const
{
    if (m_running.size() != 1 || m_running.back().owed || !m_running.back().job.inSteps)
        return false;
    const Urgency running = m_running.back().urgency;
    return running >= Urgency::Score && std::ranges::any_of(kAll, [&](Urgency urgency) {
               return urgency < running && !onlyReads(urgency) && ready(urgency);
           });
}

void Scheduler::leave(Time now)
{
    const Turn turn = m_running.back();
    m_running.pop_back();
    if (!m_running.empty())
        m_running.back().resumed = now;
    if (turn.cancelled)
        return;
    Class& own = of(turn.urgency);
    --own.running;
    own.served = now;
}

void Scheduler::ended(Time now)
{
    leave(now);
}

void Scheduler::again(Urgency urgency, Time now)
{
    const Turn& turn = m_running.back();
    Job job = turn.job;
    job.lastTurn = turn.worked + (now - turn.resumed);
    job.used = urgency == turn.urgency ? job.used + job.lastTurn : start(of(urgency));
    leave(now);
    Class& own = of(urgency);
    if (own.waiting.empty() && own.running == 0)
        own.served = now;
    wait(urgency, job);
}

} // namespace headscope::engine
