// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Several processes that share one piece of work, as torchrun starts them: who they are, and how their parts come
// together in the first one. They meet in a c10d TCPStore; a process that is lost is noticed, not waited for. Used from
// one thread; a second one of its own tells the others that this process lives.

#include "core/base/result.h"

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope::engine {

struct ProcessOptions {
    int rank = 0;
    int size = 1;
    std::string host;
    int port = 0;
    bool hostsStore = false;          ///< this process keeps the store (the first one, unless torchrun's agent does)
    std::string prefix = "headscope"; ///< of every key; another one each time the processes are started again
    std::chrono::milliseconds patience{30000}; ///< without a sign of life a process is lost

    /// RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT and torchrun's own variables; one process where WORLD_SIZE is not
    /// set. HEADSCOPE_PATIENCE sets the patience in seconds. Fails for variables that are missing or make no sense.
    [[nodiscard]] static Result<ProcessOptions> fromEnvironment();
};

class Processes
{
public:
    /// Fails when the store can not be reached within the patience.
    [[nodiscard]] static Result<std::unique_ptr<Processes>> join(const ProcessOptions& options);
    ~Processes();
    Processes(const Processes&) = delete;
    Processes& operator=(const Processes&) = delete;

    [[nodiscard]] int rank() const { return m_options.rank; }
    [[nodiscard]] int size() const { return m_options.size; }
    [[nodiscard]] bool first() const { return m_options.rank == 0; }
    [[nodiscard]] bool shared() const { return m_options.size > 1; }

    /// Every process calls this the same number of times. The first gets all parts, its own among them, by rank; none
    /// of a process that was lost. The others get an empty list as soon as their part is handed over. Fails when
    /// stopped, and in the others when the first is gone.
    [[nodiscard]] Result<std::vector<std::optional<std::string>>> gather(const std::string& mine,
                                                                         const std::stop_token& stop);

private:
    struct Store;
    explicit Processes(ProcessOptions options);
    ProcessOptions m_options;
    int m_gathered = 0;
    std::unique_ptr<Store> m_store; ///< null for one process; last: its thread stops first
};

} // namespace headscope::engine
