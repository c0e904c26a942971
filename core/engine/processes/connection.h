// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A connection between two processes of one run. Both prove that they know the run's secret before anything else is
// said, and every message after that carries a keyed hash (README.md beside this gives the bytes). One thread at a
// time.

#include "core/base/hmac.h"
#include "core/base/result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace headscope::engine {

using SteadyClock = std::chrono::steady_clock;

/// What both ends must have alike.
struct Run {
    Digest secret{};
    std::string name;
    int size = 1; ///< processes
};

/// A file descriptor that closes itself.
class Descriptor
{
public:
    explicit Descriptor(int fd = -1) : m_fd(fd) {}
    Descriptor(Descriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    ~Descriptor();
    [[nodiscard]] int fd() const { return m_fd; }

private:
    int m_fd;
};

class Connection
{
public:
    static constexpr std::uint64_t kMaxChunk = std::uint64_t{256} << 20; ///< bytes of one message

    enum class Kind : std::uint32_t { Alive = 1, Claim = 2, Chunk = 3 };
    struct Message {
        Kind kind = Kind::Alive;
        std::uint32_t round = 0;
        std::uint32_t number = 0;   ///< Claim: of chunks in all; Chunk: which one it is
        std::uint32_t together = 0; ///< Claim: of them those of a portion
        std::string body;           ///< Claim: the hash of the work (processes.h)
    };
    /// Answers to a claim; kOtherWork: this is not what the others share.
    static constexpr std::uint32_t kNothingLeft = 0xffffffff, kNothingNow = 0xfffffffe, kOtherWork = 0xfffffffd;

    /// The first process's end: nothing that arrives is kept before the other one has proved itself. None for a
    /// stranger.
    [[nodiscard]] static std::optional<Connection> welcome(Descriptor socket, const Run& run,
                                                           const std::stop_token& stop);
    /// The others' end. `socket` is connected. None where the other end is a stranger or goes away.
    [[nodiscard]] static std::optional<Connection> introduce(Descriptor socket, const Run& run, int rank);

    [[nodiscard]] int rank() const { return m_rank; } ///< of the process that introduced itself

    /// The others' end. A chunk is handed over when true comes back.
    [[nodiscard]] bool send(const Message& message, std::chrono::milliseconds patience);
    /// The others' end: asks for a chunk to run, with a message of kind Claim. None where the first one is gone.
    [[nodiscard]] std::optional<std::uint32_t> claim(const Message& wanted, std::chrono::milliseconds patience);
    /// The first one's end: answers the claim that was received last.
    [[nodiscard]] bool grant(std::uint32_t chunk, std::chrono::milliseconds patience);
    /// The first one's end: waits for the next message, and says that a chunk is taken. None where the
    /// other is gone, or says what it may not.
    [[nodiscard]] std::optional<Message> receive(std::chrono::milliseconds patience, const std::stop_token& stop);

private:
    Connection(Descriptor socket, const Digest& key, int rank);
    [[nodiscard]] Digest sealOf(const std::string& header, const std::string& body) const;
    [[nodiscard]] Digest receipt() const;
    [[nodiscard]] Digest sealOfGrant(const std::string& chunk) const;

    Descriptor m_socket;
    Digest m_key{};
    int m_rank = 0;
    std::uint64_t m_counter = 0; ///< of messages: none can be left out, said twice or moved
};

/// A socket that listens on the address of `host` only, at `port` (0: any free one). Fails where the name is not an
/// address of this machine.
[[nodiscard]] Result<Descriptor> listenOn(const std::string& host, int port);
[[nodiscard]] int portOf(const Descriptor& listening);
/// None where nobody listens there.
[[nodiscard]] std::optional<Descriptor> connectTo(const std::string& host, int port, SteadyClock::time_point deadline);

} // namespace headscope::engine
