// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/device/waiting.h"

#include "core/io/textfiles/textfile.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

#include <csignal>
#include <ctime>
#include <omp.h>
#include <unistd.h>

namespace headscope::lm {

namespace {

constexpr auto kLook = std::chrono::milliseconds(500);
constexpr double kAtWork = 0.25; // processors that others use

/// Threads of libgomp that are managed and sleep, as long as it lives.
class SleepingTeam
{
public:
    SleepingTeam() : m_thread([this] { hold(); }) {}
    SleepingTeam(const SleepingTeam&) = delete;
    SleepingTeam& operator=(const SleepingTeam&) = delete;
    ~SleepingTeam()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_done = true;
        }
        m_ended.notify_one();
        m_thread.join();
    }

private:
    void hold()
    {
#pragma omp parallel num_threads(omp_get_num_procs())
        {
            std::this_thread::yield(); // an empty region is left out by the compiler
        }
        std::unique_lock lock(m_mutex);
        m_ended.wait(lock, [this] { return m_done; });
    }

    std::mutex m_mutex;
    std::condition_variable m_ended;
    bool m_done = false;
    std::thread m_thread; // last: it uses the others
};

std::string machineStatistics()
{
    const auto text = io::readTextFile("/proc/stat", 10'000'000);
    return text.has_value() ? *text : std::string();
}

/// Programs that run or wait for a processor at this moment, without this one.
int othersRunning()
{
    std::istringstream file(machineStatistics());
    for (std::string word; file >> word;)
        if (int running = 0; word == "procs_running" && file >> running)
            return running - 1;
    return 0;
}

[[noreturn]] void watch()
{
    std::optional<SleepingTeam> team;
    if (othersRunning() > 0)
        team.emplace();
    std::optional<ProcessorUse> before = processorUse();
    for (auto looked = std::chrono::steady_clock::now();;) {
        std::this_thread::sleep_for(kLook);
        const auto now = std::chrono::steady_clock::now();
        const std::optional<ProcessorUse> use = processorUse();
        if (use && before) {
            const double seconds = std::chrono::duration<double>(now - looked).count();
            const double others = (use->machine - before->machine) - (use->own - before->own);
            if (others < kAtWork * seconds)
                team.reset();
            else if (!team)
                team.emplace();
        }
        before = use;
        looked = now;
    }
}

} // namespace

std::optional<ProcessorUse> processorUse()
{
    std::istringstream columns(machineStatistics()); // the first line is of all processors
    std::string word;
    double user = 0, nice = 0, system = 0, idle = 0, waits = 0, interrupts = 0, soft = 0;
    timespec own{};
    if (!(columns >> word >> user >> nice >> system >> idle >> waits >> interrupts >> soft)
        || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) != 0)
        return std::nullopt;
    return ProcessorUse{(user + nice + system + interrupts + soft) / static_cast<double>(sysconf(_SC_CLK_TCK)),
                        static_cast<double>(own.tv_sec) + 1e-9 * static_cast<double>(own.tv_nsec)};
}

void letIdleThreadsSleep()
{
    static std::once_flag once;
    std::call_once(once, [] {
        // No signal is for it: those of a person who stops are for the thread that waits for them.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        std::thread(watch).detach();
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    });
}

} // namespace headscope::lm
