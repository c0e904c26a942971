// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/context.h"

#include "app/cli/output.h"
#include "app/workbench/models/openmodel.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace headscope::cli {

namespace {

// SIGINT and SIGTERM are blocked in every thread and waited for in one, so that stopping needs no async-signal-safe
// code.
std::atomic<bool> heard = false; // the command looks at the token

std::stop_source& stopSource()
{
    static std::stop_source source = [] {
        std::stop_source made;
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, SIGINT);
        sigaddset(&signals, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &signals, nullptr);
        std::thread([signals, made]() mutable {
            int received = 0;
            sigwait(&signals, &received);
            made.request_stop();
            if (heard)
                sigwait(&signals, &received); // a second Ctrl+C ends the program at once
            else
                note("headscope-cli: " + cancelledError().message);
            _exit(130);
        }).detach();
        return made;
    }();
    return source;
}

using Clock = std::chrono::steady_clock;

struct ProgressPrinter {
    std::string stage;
    Clock::time_point started = Clock::now(), printed{};
    std::int64_t already = 0; ///< done before the stage's first report: a training that goes on
    bool terminal = stderrIsTerminal();

    void operator()(const Progress& progress)
    {
        const auto now = Clock::now();
        if (progress.stage != stage) {
            stage = progress.stage;
            started = now;
            printed = {};
            already = progress.done;
        }
        const bool last = progress.total > 0 && progress.done >= progress.total;
        const auto interval = terminal ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000);
        if (!last && now - printed < interval)
            return;
        const double seconds = std::chrono::duration<double>(now - started).count();
        // Short stages on a pipe stay silent: only what took a while is worth a line in a log.
        if (!terminal && seconds < 5)
            return;
        printed = now;
        const double rate = seconds > 0 ? static_cast<double>(progress.done - already) / seconds : 0;
        const double left =
            rate > 0 && progress.total > progress.done ? static_cast<double>(progress.total - progress.done) / rate : 0;
        const std::string total = progress.total > 0 ? fmt::format(" of {}", progress.total) : "";
        noteProgress(fmt::format("{}: {}{}, {:.1f} per s, {:.0f} s left", stage, progress.done, total, rate, left),
                     terminal, last);
    }
};

} // namespace

void Context::waitForStop()
{
    (void)stopSource();
}

Control Context::control() const
{
    heard = true;
    Control control;
    control.stop = stopToken();
    if (!quiet)
        control.report = [printer = std::make_shared<ProgressPrinter>()](const Progress& progress) {
            (*printer)(progress);
        };
    return control;
}

std::stop_token Context::stopToken()
{
    return stopSource().get_token();
}

void Context::note(const std::string& line) const
{
    if (!quiet)
        cli::note(line);
}

void Context::print(const nlohmann::json& json)
{
    printJson(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Result<io::ModelFolder> Context::modelFolder(const std::string& model) const
{
    return app::findModel(model, resources);
}

} // namespace headscope::cli
