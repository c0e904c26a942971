// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/processes/processes.h"

#include "core/engine/processes/card.h"
#include "core/engine/processes/meetingpoint.h"
#include "core/io/quote.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <cstring>

namespace headscope::engine {

namespace {

constexpr auto kHeartbeat = std::chrono::milliseconds(500);
constexpr auto kPoll = std::chrono::milliseconds(20);
constexpr std::size_t kShortestSecret = 16;
// Who starts with the others is met even where the work took no time: a start takes longer beside other programs.
constexpr auto kLate = std::chrono::seconds(5);

Result<int> numberOf(const char* variable, int low, int high)
{
    const char* text = std::getenv(variable);
    if (!text)
        return inputError(
            std::string("WORLD_SIZE is set, but ") + variable
            + " is not; start several processes with torchrun, or set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT.");
    int value = 0;
    const auto [end, fault] = std::from_chars(text, text + std::strlen(text), value);
    if (fault != std::errc() || *end != '\0' || value < low || value > high)
        return inputError(std::string(variable) + " is " + io::inQuotes(text) + "; expected a number from "
                          + std::to_string(low) + " to " + std::to_string(high) + ".");
    return value;
}

std::string textOf(const char* variable)
{
    const char* text = std::getenv(variable);
    return text ? text : "";
}

/// A secret that all processes were given; empty where they were not.
Result<std::string> givenSecret()
{
    std::string secret = textOf("HEADSCOPE_SECRET");
    if (const std::string file = textOf("HEADSCOPE_SECRET_FILE"); secret.empty() && !file.empty()) {
        auto read = readPrivateFile(file);
        if (!read.has_value())
            return read;
        secret = *read;
        while (secret.ends_with('\n'))
            secret.pop_back();
    } else if (secret.empty()) {
        return secret;
    }
    if (secret.size() < kShortestSecret)
        return inputError("The secret of several processes has " + std::to_string(secret.size())
                          + " characters; expected at least " + std::to_string(kShortestSecret) + ".");
    return secret;
}

/// Asks for a chunk of a work: with a hash of all that makes it the same one everywhere.
Connection::Message claimOf(std::uint32_t round, const Processes::Work& work)
{
    const Digest hash = sha256(std::to_string(work.chunks) + ' ' + std::to_string(work.together) + '\n' + work.what);
    return {Connection::Kind::Claim, round, static_cast<std::uint32_t>(work.chunks),
            static_cast<std::uint32_t>(work.together), std::string(hash.begin(), hash.end())};
}

Error otherWork()
{
    return inputError("The processes do not agree on the work; give all of them the same model and arguments.");
}

Run runOf(const ProcessOptions& options, const Digest& secret)
{
    return {.secret = secret, .name = options.run, .size = options.size};
}

} // namespace

Result<ProcessOptions> ProcessOptions::fromEnvironment()
{
    ProcessOptions options;
    if (!std::getenv("WORLD_SIZE"))
        return options;
    const auto size = numberOf("WORLD_SIZE", 1, 65536);
    if (!size.has_value())
        return size.error();
    options.size = *size;
    if (options.size == 1)
        return options;
    const auto rank = numberOf("RANK", 0, options.size - 1), port = numberOf("MASTER_PORT", 1, 65535);
    if (!rank.has_value() || !port.has_value())
        return !rank.has_value() ? rank.error() : port.error();
    options.rank = *rank;
    options.host = textOf("MASTER_ADDR").empty() ? "127.0.0.1" : textOf("MASTER_ADDR");
    options.run = textOf("TORCHELASTIC_RUN_ID") + "/" + textOf("TORCHELASTIC_RESTART_COUNT");
    options.card = cardPath(options.host, *port, options.run);
    // torchrun's agent listens at MASTER_PORT itself; then another port is taken and told by the card.
    options.port = textOf("TORCHELASTIC_USE_AGENT_STORE") == "True" ? 0 : *port;
    if (std::getenv("HEADSCOPE_PORT")) {
        const auto own = numberOf("HEADSCOPE_PORT", 1, 65535);
        if (!own.has_value())
            return own.error();
        options.port = *own;
    }
    const auto secret = givenSecret();
    if (!secret.has_value())
        return secret.error();
    options.secret = *secret;
    if (std::getenv("HEADSCOPE_PATIENCE")) {
        const auto patience = numberOf("HEADSCOPE_PATIENCE", 1, 86400);
        if (!patience.has_value())
            return patience.error();
        options.patience = std::chrono::seconds(*patience);
    }
    return options;
}

struct Processes::Host {
    std::filesystem::path card; ///< that was written; empty: none was needed
    std::unique_ptr<MeetingPoint> point;

    SteadyClock::time_point late{}; ///< who has not come by then is not waited for
    bool awaited = false;           ///< what the others hand over late is taken before this ends

    ~Host()
    {
        if (awaited)
            point->awaitDepartures(late);
        std::error_code gone;
        if (!card.empty())
            std::filesystem::remove(card, gone);
    }

    [[nodiscard]] static Result<std::unique_ptr<Host>> open(const ProcessOptions& options)
    {
        auto listening = listenOn(options.host, options.port);
        if (!listening.has_value())
            return listening.error();
        auto host = std::make_unique<Host>();
        host->late = SteadyClock::now() + std::min<std::chrono::milliseconds>(options.patience, kLate);
        const Digest secret = options.secret.empty() ? randomDigest() : sha256(options.secret);
        if (options.secret.empty() || options.port == 0) {
            const MeetingCard card{portOf(*listening), options.secret.empty() ? std::optional(secret) : std::nullopt};
            if (const auto written = writeCard(options.card, card); !written.has_value())
                return written.error();
            host->card = options.card;
        }
        host->point = std::make_unique<MeetingPoint>(std::move(*listening), runOf(options, secret), options.patience);
        return host;
    }
};

struct Processes::Guest {
    std::mutex mutex; ///< of the connection
    Connection connection;
    std::jthread heartbeat; ///< last: stops first

    Guest(Connection met, std::chrono::milliseconds patience) : connection(std::move(met))
    {
        heartbeat = std::jthread([this, patience](const std::stop_token& stop) {
            std::mutex sleeping;
            std::condition_variable_any wake;
            std::unique_lock lock(sleeping);
            while (!stop.stop_requested()) {
                {
                    const std::scoped_lock one(mutex);
                    if (!connection.send({}, patience))
                        return; // the first process is gone; whoever hands over a chunk says so
                }
                wake.wait_for(lock, stop, kHeartbeat, [] { return false; });
            }
        });
    }

    [[nodiscard]] static Result<std::unique_ptr<Guest>> meet(const ProcessOptions& options)
    {
        const std::string who =
            "Process " + std::to_string(options.rank) + " of " + std::to_string(options.size) + " cannot reach ";
        const auto deadline = SteadyClock::now() + options.patience;
        std::string where = options.host, noCard, refused;
        if (options.port > 0)
            where += ":" + std::to_string(options.port);
        while (SteadyClock::now() < deadline) {
            MeetingCard card{options.port, sha256(options.secret)};
            if (options.secret.empty() || options.port == 0) {
                const auto read = readCard(options.card);
                noCard = read.has_value() ? "" : read.error().message;
                card.port = read.has_value() ? read->port : 0;
                if (read.has_value() && options.secret.empty())
                    card.secret = read->secret;
            }
            if (card.port > 0 && card.secret) {
                where = options.host + ":" + std::to_string(card.port);
                auto socket = connectTo(options.host, card.port, deadline);
                auto met = socket
                               ? Connection::introduce(std::move(*socket), runOf(options, *card.secret), options.rank)
                               : std::nullopt;
                if (met)
                    return std::make_unique<Guest>(std::move(*met), options.patience);
                if (socket) // a later try that finds nobody, or no time, takes nothing of it back
                    refused = "Who listens there does not know the secret of this run.";
            }
            std::this_thread::sleep_for(kPoll);
        }
        const std::string why = refused.empty() ? noCard : refused;
        return Error{Error::Kind::Io, who + "the meeting point " + where + "." + (why.empty() ? "" : " ") + why, {}};
    }
};

Processes::Processes(ProcessOptions options) : m_options(std::move(options)) {}

Processes::~Processes() = default;

Result<std::unique_ptr<Processes>> Processes::join(const ProcessOptions& options)
{
    std::unique_ptr<Processes> joined(new Processes(options));
    if (options.size == 1)
        return joined;
    if (joined->first()) {
        auto host = Host::open(options);
        if (!host.has_value())
            return host.error();
        joined->m_host = std::move(*host);
    } else {
        auto guest = Guest::meet(options);
        if (!guest.has_value())
            return guest.error();
        joined->m_guest = std::move(*guest);
    }
    return joined;
}

Result<Processes::Shared> Processes::share(const Work& work, const std::function<Result<std::string>(int)>& run,
                                           const std::stop_token& stop)
{
    if (m_guest)
        return shareAsOther(work, run, stop);
    if (m_host)
        return shareAsFirst(work, run, stop);
    Shared shared{.chunksOf = {work.chunks}};
    for (int chunk = 0; chunk < work.chunks; ++chunk) {
        auto result = run(chunk);
        if (!result.has_value())
            return result.error();
        shared.results.push_back(std::move(*result));
    }
    return shared;
}

Result<Processes::Shared> Processes::shareAsFirst(const Work& work, const std::function<Result<std::string>(int)>& run,
                                                  const std::stop_token& stop)
{
    const std::uint32_t round = m_round++;
    const Connection::Message wanted = claimOf(round, work);
    while (!stop.stop_requested()) {
        const std::uint32_t chunk = m_host->point->claim(wanted, 0);
        if (chunk == Connection::kOtherWork)
            return otherWork();
        if (chunk == Connection::kNothingLeft)
            break;
        if (chunk == Connection::kNothingNow) {
            std::this_thread::sleep_for(kPoll);
            continue;
        }
        auto result = run(static_cast<int>(chunk));
        if (!result.has_value())
            return result.error();
        if (!m_host->point->finish(round, 0, chunk, std::move(*result)))
            return otherWork();
    }
    if (stop.stop_requested())
        return cancelledError();
    m_host->awaited = true;
    ChunkQueue queue = m_host->point->takeChunks(round);
    Shared shared;
    for (int rank = 0; rank < m_options.size; ++rank)
        shared.chunksOf.push_back(queue.finishedBy(rank));
    shared.results = queue.results();
    return shared;
}

Result<Processes::Shared> Processes::shareAsOther(const Work& work, const std::function<Result<std::string>(int)>& run,
                                                  const std::stop_token& stop)
{
    const std::uint32_t round = m_round++;
    const Connection::Message wanted = claimOf(round, work);
    const auto patience = m_options.patience;
    const Error gone = ioError("Process 0 is gone; run the same command again: what a session holds is not run twice.");
    while (!stop.stop_requested()) {
        std::optional<std::uint32_t> chunk;
        {
            const std::scoped_lock lock(m_guest->mutex);
            chunk = m_guest->connection.claim(wanted, patience);
        }
        if (!chunk)
            return gone;
        if (*chunk == Connection::kOtherWork)
            return otherWork();
        if (*chunk == Connection::kNothingLeft)
            return Shared{};
        if (*chunk == Connection::kNothingNow) {
            std::this_thread::sleep_for(kPoll);
            continue;
        }
        if (*chunk >= wanted.number)
            return gone;
        auto result = run(static_cast<int>(*chunk));
        if (!result.has_value())
            return result.error();
        const std::scoped_lock lock(m_guest->mutex);
        if (result->size() > Connection::kMaxChunk
            || !m_guest->connection.send({Connection::Kind::Chunk, round, *chunk, 0, std::move(*result)}, patience))
            return gone;
    }
    return cancelledError();
}

} // namespace headscope::engine
