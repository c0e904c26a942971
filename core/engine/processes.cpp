// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/processes.h"

#include <c10/util/Logging.h>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

namespace headscope::engine {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kHeartbeat = std::chrono::milliseconds(500);
constexpr auto kPoll = std::chrono::milliseconds(20);

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
        return inputError(std::string(variable) + " is '" + text + "'; expected a number from " + std::to_string(low)
                          + " to " + std::to_string(high) + ".");
    return value;
}

std::string textOf(const char* variable)
{
    const char* text = std::getenv(variable);
    return text ? text : "";
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
    options.port = *port;
    options.host = textOf("MASTER_ADDR").empty() ? "127.0.0.1" : textOf("MASTER_ADDR");
    options.hostsStore = options.rank == 0 && textOf("TORCHELASTIC_USE_AGENT_STORE") != "True";
    for (const char* variable : {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT"})
        options.prefix.append("/").append(textOf(variable));
    if (std::getenv("HEADSCOPE_PATIENCE")) {
        const auto patience = numberOf("HEADSCOPE_PATIENCE", 1, 86400);
        if (!patience.has_value())
            return patience.error();
        options.patience = std::chrono::seconds(*patience);
    }
    return options;
}

struct Processes::Store {
    c10::intrusive_ptr<c10d::TCPStore> keys;
    std::jthread heartbeat; ///< last: stops first

    void beat(const std::string& key)
    {
        heartbeat = std::jthread([keys = keys, key](const std::stop_token& stop) {
            std::mutex mutex;
            std::condition_variable_any wake;
            std::unique_lock lock(mutex);
            while (!stop.stop_requested()) {
                try {
                    keys->add(key, 1);
                } catch (const std::exception&) {
                    return; // the store is gone; whoever hands over the part says so
                }
                wake.wait_for(lock, stop, kHeartbeat, [] { return false; });
            }
        });
    }
};

Processes::Processes(ProcessOptions options) : m_options(std::move(options)) {}

Processes::~Processes() = default;

Result<std::unique_ptr<Processes>> Processes::join(const ProcessOptions& options)
{
    std::unique_ptr<Processes> joined(new Processes(options));
    if (options.size == 1)
        return joined;
    joined->m_store = std::make_unique<Store>();
    if (!std::getenv("TORCH_CPP_LOG_LEVEL"))
        FLAGS_caffe2_log_level = 3; // fatal only: what goes wrong here is told in one sentence
    c10d::TCPStoreOptions meeting;
    meeting.port = static_cast<std::uint16_t>(options.port);
    meeting.isServer = options.hostsStore;
    meeting.waitWorkers = false; // work begins at once; who does not come is lost later
    meeting.timeout = options.patience;
    try {
        joined->m_store->keys = c10::make_intrusive<c10d::TCPStore>(options.host, meeting);
    } catch (const std::exception& error) {
        return Error{Error::Kind::Io,
                     "Process " + std::to_string(options.rank) + " of " + std::to_string(options.size) + " can not "
                         + (options.hostsStore ? "open" : "reach") + " the meeting point " + options.host + ":"
                         + std::to_string(options.port) + ".",
                     error.what()};
    }
    joined->m_store->beat(options.prefix + "/alive/" + std::to_string(options.rank));
    return joined;
}

Result<std::vector<std::optional<std::string>>> Processes::gather(const std::string& mine, const std::stop_token& stop)
{
    const std::string round = m_options.prefix + "/part/" + std::to_string(m_gathered++) + "/";
    std::vector<std::optional<std::string>> parts;
    if (!first()) {
        try {
            m_store->keys->set(round + std::to_string(m_options.rank),
                               std::vector<std::uint8_t>(mine.begin(), mine.end()));
        } catch (const std::exception& error) {
            return Error{Error::Kind::Io,
                         "Process 0 is gone; run the same command again: what a session holds is not run twice.",
                         error.what()};
        }
        return parts;
    }
    parts.resize(static_cast<std::size_t>(m_options.size));
    parts[0] = mine;
    for (int rank = 1; rank < m_options.size; ++rank) {
        const std::string key = round + std::to_string(rank),
                          alive = m_options.prefix + "/alive/" + std::to_string(rank);
        std::int64_t lastBeat = -1;
        auto heard = Clock::now();
        try {
            while (!m_store->keys->check({key})) {
                if (stop.stop_requested())
                    return cancelledError();
                if (const std::int64_t beat = m_store->keys->add(alive, 0); beat != lastBeat) {
                    lastBeat = beat;
                    heard = Clock::now();
                }
                if (Clock::now() - heard > m_options.patience)
                    break;
                std::this_thread::sleep_for(kPoll);
            }
            if (m_store->keys->check({key})) {
                const auto bytes = m_store->keys->get(key);
                parts[static_cast<std::size_t>(rank)] = std::string(bytes.begin(), bytes.end());
            }
        } catch (const std::exception& error) {
            return Error{Error::Kind::Io,
                         "The processes' meeting point is gone; run the same command again: what a session holds is "
                         "not run twice.",
                         error.what()};
        }
    }
    return parts;
}

} // namespace headscope::engine
