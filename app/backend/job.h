// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Jobs: how requests are answered. A request is a value that names its `Reply`; `jobOf` beside it returns its urgency
// and the work for the worker. No tensor and no Qt type is passed.

#include "app/workbench/settings.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/side.h"
#include "core/base/ticket.h"
#include "core/engine/worker.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

namespace headscope::app {

class Models;

struct ModelsOptions : Settings {
    std::filesystem::path resources; ///< files shipped with the program
};

template <typename Reply> using Send = std::function<void(std::shared_ptr<const Reply>)>;
using Failed = std::function<void(const Error&)>;

template <typename Reply> struct Job {
    engine::Urgency urgency = engine::Urgency::Look;
    /// Work in a single call, never interrupted for anything more urgent ...
    std::function<Result<Reply>(Models&, const Control&)> work{};
    /// ... or in steps, each returning what to do next. A step that fails because it yielded is repeated.
    std::function<Result<engine::Next>(Models&, const engine::Turn&, const Send<Reply>&)> step{};
    /// Called after a failure or a stop; cleans up and returns the error to report.
    std::function<Error(Models&, const Error&)> failed{};
};

/// Returns a job that calls `read` with the models and the request, without interruption.
template <typename Reply, typename Asked, typename Request>
[[nodiscard]] Job<Reply> inOneGo(engine::Urgency urgency, Result<Reply> (*read)(Models&, const Asked&, const Control&),
                                 const Request& request)
{
    return {.urgency = urgency,
            .work = [read, request](Models& models, const Control& control) { return read(models, request, control); }};
}

/// Returns a job in steps: step() returns whether there is more to do, hasNews() whether to send reply() now. The last
/// reply is always sent.
template <typename Reply, typename Steps>
[[nodiscard]] Job<Reply> inSteps(engine::Urgency urgency, std::shared_ptr<Steps> steps)
{
    return {.urgency = urgency,
            .step = [steps = std::move(steps)](Models& models, const engine::Turn& turn,
                                               const Send<Reply>& send) -> Result<engine::Next> {
                const auto more = steps->step(models, turn);
                if (!more.has_value())
                    return more.error();
                if (steps->hasNews() || !*more)
                    send(std::make_shared<const Reply>(steps->reply()));
                return *more ? engine::Next::Again : engine::Next::End;
            }};
}

/// Callbacks of a job, called on the worker: any number of `replied` and `progressed`, then exactly one of the others.
template <typename Reply> struct Listener {
    Send<Reply> replied;
    std::function<void()> finished;
    Failed failed; ///< with a Cancelled error after a stop
    std::function<void(const Progress&)> progressed{};
};

/// Starts the worker, which is stopped and joined when the last owner releases it.
[[nodiscard]] std::shared_ptr<Models> makeModels(ModelsOptions options);
[[nodiscard]] engine::Worker& workerOf(Models& models);
/// On the worker thread.
void closeModel(Models& models, Side side);
void setSettings(Models& models, const Settings& settings);
void setPatience(Models& models, std::chrono::seconds patience);
void setDataFolder(Models& models, const std::filesystem::path& folder);

/// Queues a job for the worker. Any thread; returns at once.
template <typename Reply> Ticket start(Models& models, Job<Reply> job, Listener<Reply> listener)
{
    const auto failed = [&models, listener, toReport = std::move(job.failed)](const Error& error) {
        listener.failed(toReport ? toReport(models, error) : error);
    };
    if (job.work)
        return workerOf(models).post(
            job.urgency,
            [&models, listener, failed, work = std::move(job.work)](const Control& control) {
                auto result = work(models, control);
                if (!result.has_value())
                    return failed(result.error());
                listener.replied(std::make_shared<const Reply>(std::move(*result)));
                listener.finished();
            },
            failed, listener.progressed);
    return workerOf(models).postSteps(
        job.urgency,
        [&models, listener, failed, step = std::move(job.step)](const engine::Turn& turn) {
            const Result<engine::Next> next = step(models, turn, listener.replied);
            if (!next.has_value() && turn.yielded())
                return engine::Next::Again;
            if (!next.has_value())
                failed(next.error());
            else if (*next == engine::Next::End)
                listener.finished();
            return next.has_value() ? *next : engine::Next::End;
        },
        failed, listener.progressed);
}

} // namespace headscope::app
