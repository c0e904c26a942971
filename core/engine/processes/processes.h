// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Several processes that share one piece of work, as torchrun starts them: who they are, and how their results
// come together in the first one. They meet at one address with a secret of this run; a process that is lost is
// noticed, not waited for. Used from one thread; others of its own listen and say that this process lives.

#include "core/base/result.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope::engine {

struct ProcessOptions {
    int rank = 0;
    int size = 1;
    std::string host;
    int port = 0;                              ///< 0: any free one, given by the card
    std::string secret;                        ///< that all of them were given; empty: one of this run, on the card
    std::filesystem::path card;                ///< by which the processes of one person find each other
    std::string run;                           ///< another one each time the processes are started again
    std::chrono::milliseconds patience{30000}; ///< without a sign of life a process is lost

    /// RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT and torchrun's own variables, HEADSCOPE_PORT, HEADSCOPE_SECRET,
    /// HEADSCOPE_SECRET_FILE and HEADSCOPE_PATIENCE (README.md beside this); one process where WORLD_SIZE is not set.
    /// Fails for variables that are missing or make no sense.
    [[nodiscard]] static Result<ProcessOptions> fromEnvironment();
};

class Processes
{
public:
    /// Fails when the first process cannot be met within the patience.
    [[nodiscard]] static Result<std::unique_ptr<Processes>> join(const ProcessOptions& options);
    ~Processes();
    Processes(const Processes&) = delete;
    Processes& operator=(const Processes&) = delete;

    [[nodiscard]] int rank() const { return m_options.rank; }
    [[nodiscard]] int size() const { return m_options.size; }
    [[nodiscard]] bool first() const { return m_options.rank == 0; }
    [[nodiscard]] bool shared() const { return m_options.size > 1; }

    /// What is shared: the number of chunks (chunkqueue.h explains `together`).
    struct Work {
        int chunks = 0;
        int together = 0;
        std::string what; ///< all that decides what a chunk's result is: other models, rows or sets, another text
    };
    /// Runs the chunks of a work together: the next free process takes one, and what a lost process had goes to the
    /// others. Every process calls this with the same work, from where its `run` can be called. In the first one all
    /// results, by chunk, and who made them; nothing in the others, when all chunks are in. Fails where `run` does,
    /// when stopped, where others share another work, and in the others when the first is gone.
    struct Shared {
        std::vector<std::string> results;
        std::vector<int> chunksOf; ///< how many came from each process
    };
    [[nodiscard]] Result<Shared> share(const Work& work, const std::function<Result<std::string>(int)>& run,
                                       const std::stop_token& stop);

private:
    struct Host;
    struct Guest;
    explicit Processes(ProcessOptions options);
    [[nodiscard]] Result<Shared> shareAsFirst(const Work& work, const std::function<Result<std::string>(int)>& run,
                                              const std::stop_token& stop);
    [[nodiscard]] Result<Shared> shareAsOther(const Work& work, const std::function<Result<std::string>(int)>& run,
                                              const std::stop_token& stop);
    ProcessOptions m_options;
    std::uint32_t m_round = 0;
    std::unique_ptr<Host> m_host;   ///< of the first process
    std::unique_ptr<Guest> m_guest; ///< of another one; both null for one process
};

} // namespace headscope::engine
