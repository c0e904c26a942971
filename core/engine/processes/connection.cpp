// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/processes/connection.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace headscope::engine {

namespace {

constexpr std::string_view kGreeting = "headscope-meet 4"; // 16 bytes
constexpr auto kHandshake = std::chrono::seconds(5);
constexpr int kReadSlice = 50; // ms; how soon a stop is seen
constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kHeader = 24, kSeal = 32, kWork = 32;

struct AddressesFree {
    void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, AddressesFree>;

Addresses addressesOf(const std::string& host, int port)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list) != 0)
        return nullptr;
    return Addresses(list);
}

bool isEveryAddress(const sockaddr* address)
{
    if (address->sa_family == AF_INET)
        return reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr == htonl(INADDR_ANY);
    return address->sa_family == AF_INET6
           && IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

/// False past the deadline, or when stopped.
bool waitFor(int fd, short events, std::optional<SteadyClock::time_point> deadline, const std::stop_token& stop)
{
    while (!stop.stop_requested() && (!deadline || SteadyClock::now() < *deadline)) {
        pollfd wanted{fd, events, 0};
        const int ready = ::poll(&wanted, 1, kReadSlice);
        if (ready > 0)
            return true; // a broken connection too: the call that follows says so
        if (ready < 0 && errno != EINTR)
            return false;
    }
    return false;
}

bool sendAll(int fd, std::string_view bytes, SteadyClock::time_point deadline)
{
    while (!bytes.empty()) {
        const ssize_t done = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (done > 0)
            bytes.remove_prefix(static_cast<std::size_t>(done));
        else if (done < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        else if (!waitFor(fd, POLLOUT, deadline, {}))
            return false;
    }
    return true;
}

bool receiveAll(int fd, char* into, std::size_t size, SteadyClock::time_point deadline, const std::stop_token& stop)
{
    while (size > 0) {
        const ssize_t got = ::recv(fd, into, size, MSG_DONTWAIT);
        if (got > 0) {
            into += got;
            size -= static_cast<std::size_t>(got);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            return false;
        } else if (!waitFor(fd, POLLIN, deadline, stop)) {
            return false;
        }
    }
    return true;
}

template <typename T> std::string rawBytes(const T& number)
{
    return {reinterpret_cast<const char*>(&number), sizeof number};
}

std::string rawBytes(const Digest& digest)
{
    return {digest.begin(), digest.end()};
}

/// Whether the body of a message may be as long.
bool mayHave(Connection::Kind kind, std::uint64_t bytes)
{
    return kind == Connection::Kind::Chunk ? bytes <= Connection::kMaxChunk
                                           : bytes == (kind == Connection::Kind::Claim ? kWork : 0);
}

Digest digestAt(std::string_view bytes, std::size_t at)
{
    Digest digest;
    std::memcpy(digest.data(), bytes.data() + at, digest.size());
    return digest;
}

/// What one end says to prove itself, and the key of what follows.
Digest proof(const Run& run, std::string_view role, const Digest& first, const Digest& other, std::uint32_t rank)
{
    return hmacSha256(run.secret, std::string(role) + '\n' + rawBytes(first) + rawBytes(other) + rawBytes(rank)
                                      + rawBytes(static_cast<std::uint32_t>(run.size)) + run.name);
}

} // namespace

Descriptor::~Descriptor()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

// Short messages that wait for an answer: kept back until the last piece was acknowledged, each took 40 ms.
Connection::Connection(Descriptor socket, const Digest& key, int rank)
    : m_socket(std::move(socket)), m_key(key), m_rank(rank)
{
    const int now = 1;
    static_cast<void>(::setsockopt(m_socket.fd(), IPPROTO_TCP, TCP_NODELAY, &now, sizeof now));
}

std::optional<Connection> Connection::welcome(Descriptor socket, const Run& run, const std::stop_token& stop)
{
    const auto deadline = SteadyClock::now() + kHandshake;
    const Digest mine = randomDigest();
    std::string reply(kGreeting.size() + 2 * kSeal + 4, '\0');
    if (!sendAll(socket.fd(), std::string(kGreeting) + rawBytes(mine), deadline)
        || !receiveAll(socket.fd(), reply.data(), reply.size(), deadline, stop) || !reply.starts_with(kGreeting))
        return {};
    const Digest theirs = digestAt(reply, kGreeting.size());
    std::uint32_t rank = 0;
    std::memcpy(&rank, reply.data() + kGreeting.size() + kSeal, sizeof rank);
    if (!sameDigest(digestAt(reply, reply.size() - kSeal), proof(run, "other", mine, theirs, rank)) || rank == 0
        || rank >= static_cast<std::uint32_t>(run.size)
        || !sendAll(socket.fd(), rawBytes(proof(run, "first", mine, theirs, rank)), deadline))
        return {};
    return Connection(std::move(socket), proof(run, "key", mine, theirs, rank), static_cast<int>(rank));
}

std::optional<Connection> Connection::introduce(Descriptor socket, const Run& run, int rank)
{
    const auto deadline = SteadyClock::now() + kHandshake;
    const Digest mine = randomDigest();
    const auto number = static_cast<std::uint32_t>(rank);
    std::string hello(kGreeting.size() + kSeal, '\0'), answer(kSeal, '\0');
    if (!receiveAll(socket.fd(), hello.data(), hello.size(), deadline, {}) || !hello.starts_with(kGreeting))
        return {};
    const Digest theirs = digestAt(hello, kGreeting.size());
    if (!sendAll(socket.fd(),
                 std::string(kGreeting) + rawBytes(mine) + rawBytes(number)
                     + rawBytes(proof(run, "other", theirs, mine, number)),
                 deadline)
        || !receiveAll(socket.fd(), answer.data(), answer.size(), deadline, {})
        || !sameDigest(digestAt(answer, 0), proof(run, "first", theirs, mine, number)))
        return {};
    return Connection(std::move(socket), proof(run, "key", theirs, mine, number), rank);
}

Digest Connection::sealOf(const std::string& header, const std::string& body) const
{
    return hmacSha256(m_key, "message\n" + rawBytes(m_counter) + header + rawBytes(sha256(body)));
}

Digest Connection::receipt() const
{
    return hmacSha256(m_key, "taken\n" + rawBytes(m_counter));
}

Digest Connection::sealOfGrant(const std::string& chunk) const
{
    return hmacSha256(m_key, "chunk\n" + rawBytes(m_counter) + chunk);
}

std::optional<std::uint32_t> Connection::claim(const Message& wanted, std::chrono::milliseconds patience)
{
    if (!send(wanted, patience))
        return {};
    std::string answer(sizeof(std::uint32_t) + kSeal, '\0');
    if (!receiveAll(m_socket.fd(), answer.data(), answer.size(), SteadyClock::now() + patience, {})
        || !sameDigest(digestAt(answer, sizeof(std::uint32_t)), sealOfGrant(answer.substr(0, sizeof(std::uint32_t)))))
        return {};
    std::uint32_t chunk = 0;
    std::memcpy(&chunk, answer.data(), sizeof chunk);
    return chunk;
}

bool Connection::grant(std::uint32_t chunk, std::chrono::milliseconds patience)
{
    const std::string said = rawBytes(chunk);
    return sendAll(m_socket.fd(), said + rawBytes(sealOfGrant(said)), SteadyClock::now() + patience);
}

bool Connection::send(const Message& message, std::chrono::milliseconds patience)
{
    const auto deadline = SteadyClock::now() + patience;
    if (!mayHave(message.kind, message.body.size()))
        return false;
    const std::string header = rawBytes(static_cast<std::uint32_t>(message.kind)) + rawBytes(message.round)
                               + rawBytes(message.number) + rawBytes(message.together)
                               + rawBytes(static_cast<std::uint64_t>(message.body.size()));
    ++m_counter;
    if (!sendAll(m_socket.fd(), header, deadline) || !sendAll(m_socket.fd(), message.body, deadline)
        || !sendAll(m_socket.fd(), rawBytes(sealOf(header, message.body)), deadline))
        return false;
    if (message.kind != Connection::Kind::Chunk)
        return true;
    std::string answer(kSeal, '\0');
    return receiveAll(m_socket.fd(), answer.data(), answer.size(), deadline, {})
           && sameDigest(digestAt(answer, 0), receipt());
}

std::optional<Connection::Message> Connection::receive(std::chrono::milliseconds patience, const std::stop_token& stop)
{
    if (!waitFor(m_socket.fd(), POLLIN, {}, stop))
        return {};
    const auto deadline = SteadyClock::now() + patience;
    std::string header(kHeader, '\0'), seal(kSeal, '\0');
    if (!receiveAll(m_socket.fd(), header.data(), header.size(), deadline, stop))
        return {};
    std::uint32_t kind = 0;
    std::uint64_t size = 0;
    Message message;
    std::memcpy(&kind, header.data(), 4);
    std::memcpy(&message.round, header.data() + 4, 4);
    std::memcpy(&message.number, header.data() + 8, 4);
    std::memcpy(&message.together, header.data() + 12, 4);
    std::memcpy(&size, header.data() + 16, 8);
    message.kind = static_cast<Kind>(kind);
    if (message.kind < Kind::Alive || message.kind > Kind::Chunk || !mayHave(message.kind, size))
        return {};
    // The length is not proved yet: memory grows with what really comes.
    while (message.body.size() < size) {
        const std::size_t had = message.body.size(), more = std::min(kPiece, static_cast<std::size_t>(size) - had);
        message.body.resize(had + more);
        if (!receiveAll(m_socket.fd(), message.body.data() + had, more, deadline, stop))
            return {};
    }
    ++m_counter;
    if (!receiveAll(m_socket.fd(), seal.data(), seal.size(), deadline, stop)
        || !sameDigest(digestAt(seal, 0), sealOf(header, message.body)))
        return {};
    if (message.kind == Connection::Kind::Chunk && !sendAll(m_socket.fd(), rawBytes(receipt()), deadline))
        return {};
    return message;
}

Result<Descriptor> listenOn(const std::string& host, int port)
{
    const std::string where = host + ":" + std::to_string(port);
    const Addresses all = addressesOf(host, port);
    if (!all)
        return ioError("The meeting point's name '" + host + "' is not known on this machine.");
    int fault = 0;
    for (const addrinfo* one = all.get(); one; one = one->ai_next) {
        if (host == "*" || isEveryAddress(one->ai_addr)) // the star is taken for loopback
            return inputError("MASTER_ADDR is '" + host
                              + "', which is every address of this machine; expected the one to be met at.");
        Descriptor socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        const int again = 1;
        if (socket.fd() >= 0 && ::setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &again, sizeof again) == 0
            && ::bind(socket.fd(), one->ai_addr, one->ai_addrlen) == 0 && ::listen(socket.fd(), 64) == 0)
            return socket;
        fault = errno;
    }
    return ioError("Process 0 cannot open the meeting point " + where + ": " + std::strerror(fault) + ".");
}

int portOf(const Descriptor& listening)
{
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (::getsockname(listening.fd(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
        return 0;
    return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                               : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

std::optional<Descriptor> connectTo(const std::string& host, int port, SteadyClock::time_point deadline)
{
    const Addresses all = addressesOf(host, port);
    for (const addrinfo* one = all.get(); one; one = one->ai_next) {
        Descriptor socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (socket.fd() < 0)
            continue;
        if (::connect(socket.fd(), one->ai_addr, one->ai_addrlen) == 0)
            return socket;
        int fault = errno;
        socklen_t size = sizeof fault;
        if (fault == EINPROGRESS && waitFor(socket.fd(), POLLOUT, deadline, {})
            && ::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &fault, &size) == 0 && fault == 0)
            return socket;
    }
    return {};
}

} // namespace headscope::engine
