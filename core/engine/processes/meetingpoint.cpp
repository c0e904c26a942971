// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/processes/meetingpoint.h"

#include <algorithm>
#include <new>
#include <system_error>

#include <poll.h>
#include <sys/socket.h>

namespace headscope::engine {

namespace {

constexpr int kAcceptSlice = 50;  // ms; how soon a stop is seen
constexpr int kMaxStrangers = 32; // who has not introduced itself costs a thread for five seconds at most
constexpr std::uint32_t kMaxChunks = 1U << 20;

} // namespace

MeetingPoint::MeetingPoint(Descriptor listening, Run run, std::chrono::milliseconds patience)
    : m_run(std::move(run)), m_patience(patience), m_members(static_cast<std::size_t>(m_run.size)),
      m_listening(std::move(listening)), m_acceptor([this](const std::stop_token& stop) { accept(stop); })
{
}

void MeetingPoint::accept(const std::stop_token& stop)
{
    while (!stop.stop_requested()) {
        m_guests.remove_if([](const Guest& guest) { return guest.done.load(); });
        pollfd wanted{m_listening.fd(), POLLIN, 0};
        if (::poll(&wanted, 1, kAcceptSlice) <= 0)
            continue;
        Descriptor socket(::accept4(m_listening.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (socket.fd() < 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(kAcceptSlice)); // no descriptor is free
            continue;
        }
        if (m_strangers >= kMaxStrangers)
            continue; // closed; who belongs here comes again
        Guest& guest = m_guests.emplace_back();
        ++m_strangers;
        try {
            guest.thread = std::jthread([this, &guest, held = std::move(socket)](const std::stop_token& leave) mutable {
                serve(std::move(held), leave);
                guest.done = true;
            });
        } catch (const std::system_error&) { // no thread is left for it; closed as well
            --m_strangers;
            guest.done = true;
        }
    }
    m_guests.clear(); // stops and joins
}

void MeetingPoint::serve(Descriptor socket, const std::stop_token& stop)
{
    auto connection = Connection::welcome(std::move(socket), m_run, stop);
    --m_strangers;
    if (!connection || !enter(connection->rank()))
        return;
    const int rank = connection->rank();
    try {
        while (auto message = connection->receive(m_patience, stop))
            if (!keep(*connection, std::move(*message)))
                break;
    } catch (const std::bad_alloc&) { // no memory for its chunk: as good as lost
    }
    leave(rank);
}

void MeetingPoint::leave(int rank)
{
    const std::scoped_lock lock(m_mutex);
    m_members[static_cast<std::size_t>(rank)].left = true;
    for (auto& [round, queue] : m_queues)
        queue.lose(rank);
}

bool MeetingPoint::isLost(const Member& member) const
{
    return member.came && (member.left || SteadyClock::now() - member.heard > m_patience);
}

bool MeetingPoint::enter(int rank)
{
    const std::scoped_lock lock(m_mutex);
    Member& member = m_members[static_cast<std::size_t>(rank)];
    if (member.came && !member.left)
        return false; // it is here already
    member = {.came = true, .left = false, .heard = SteadyClock::now()};
    return true;
}

bool MeetingPoint::keep(Connection& connection, Connection::Message message)
{
    const int rank = connection.rank();
    {
        const std::scoped_lock lock(m_mutex);
        m_members[static_cast<std::size_t>(rank)].heard = SteadyClock::now();
        if (message.kind == Connection::Kind::Alive)
            return true;
    }
    if (message.kind == Connection::Kind::Chunk)
        return finish(message.round, rank, message.number, std::move(message.body));
    return connection.grant(claim(message, rank), m_patience);
}

std::uint32_t MeetingPoint::claim(const Connection::Message& wanted, int rank)
{
    const std::scoped_lock lock(m_mutex);
    const auto chunks = static_cast<int>(wanted.number);
    if (wanted.number > kMaxChunks || wanted.together > wanted.number
        || m_works.try_emplace(wanted.round, wanted.body).first->second != wanted.body)
        return Connection::kOtherWork;
    if (m_rounds.contains(wanted.round))
        return Connection::kNothingLeft;
    ChunkQueue& queue = m_queues.try_emplace(wanted.round, chunks, static_cast<int>(wanted.together)).first->second;
    if (queue.size() != chunks)
        return Connection::kOtherWork;
    if (queue.done())
        return Connection::kNothingLeft;
    for (std::size_t other = 1; other < m_members.size(); ++other)
        if (isLost(m_members[other]))
            queue.lose(static_cast<int>(other));
    const auto chunk = queue.claim(rank, SteadyClock::now());
    return chunk ? static_cast<std::uint32_t>(*chunk) : Connection::kNothingNow;
}

bool MeetingPoint::finish(std::uint32_t round, int rank, std::uint32_t chunk, std::string result)
{
    const std::scoped_lock lock(m_mutex);
    if (m_rounds.contains(round))
        return true; // another process was faster
    const auto queue = m_queues.find(round);
    return queue != m_queues.end() && chunk <= kMaxChunks
           && queue->second.finish(rank, static_cast<int>(chunk), std::move(result), SteadyClock::now());
}

ChunkQueue MeetingPoint::takeChunks(std::uint32_t round)
{
    const std::scoped_lock lock(m_mutex);
    m_rounds.insert(round);
    return std::move(m_queues.extract(round).mapped());
}

void MeetingPoint::awaitDepartures(SteadyClock::time_point late) const
{
    const auto anybody = [&] {
        const std::scoped_lock lock(m_mutex);
        return std::any_of(m_members.begin() + 1, m_members.end(), [&](const Member& member) {
            return member.came ? !isLost(member) : SteadyClock::now() < late;
        });
    };
    while (anybody())
        std::this_thread::sleep_for(std::chrono::milliseconds(kAcceptSlice));
}

} // namespace headscope::engine
