// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How a request is worked at. A request is a value that names its `Reply`; beside it stands `jobOf`, which says how
// urgent it is and what is done for it on the worker. No tensor and no Qt type passes here.

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
    std::filesystem::path resources; ///< the program's own files
};

template <typename Reply> using Tell = std::function<void(std::shared_ptr<const Reply>)>;
using Failed = std::function<void(const Error&)>;

template <typename Reply> struct Job {
    engine::Urgency urgency = engine::Urgency::Look;
    /// In one go, which is never asked to give way ...
    std::function<Result<Reply>(Models&, const Control&)> work{};
    /// ... or in steps, with what comes after each. A step that fails because it gave way is asked for again.
    std::function<Result<engine::Next>(Models&, const engine::Turn&, const Tell<Reply>&)> step{};
    /// Behind a failure or a stop: what is kept then, and what is told of it.
    std::function<Error(Models&, const Error&)> failed{};
};

/// What a function reads off the models for a request, in one go.
template <typename Reply, typename Asked, typename Request>
[[nodiscard]] Job<Reply> inOneGo(engine::Urgency urgency, Result<Reply> (*read)(Models&, const Asked&, const Control&),
                                 const Request& request)
{
    return {.urgency = urgency,
            .work = [read, request](Models& models, const Control& control) { return read(models, request, control); }};
}

/// In steps of something whose step() says whether there is more, hasNews() whether a person would like to hear what
/// reply() is by now. It is told behind the last step in any case.
template <typename Reply, typename Steps>
[[nodiscard]] Job<Reply> inSteps(engine::Urgency urgency, std::shared_ptr<Steps> steps)
{
    return {.urgency = urgency,
            .step = [steps = std::move(steps)](Models& models, const engine::Turn& turn,
                                               const Tell<Reply>& tell) -> Result<engine::Next> {
                const auto more = steps->step(models, turn);
                if (!more.has_value())
                    return more.error();
                if (steps->hasNews() || !*more)
                    tell(std::make_shared<const Reply>(steps->reply()));
                return *more ? engine::Next::Again : engine::Next::End;
            }};
}

/// Who hears of a job, on the worker: any number of `told` and `progressed`, then exactly one of the others.
template <typename Reply> struct Listener {
    Tell<Reply> told;
    std::function<void()> finished;
    Failed failed; ///< Cancelled where it was stopped
    std::function<void(const Progress&)> progressed{};
};

/// The worker starts at once, and is stopped and joined with the last holder.
[[nodiscard]] std::shared_ptr<Models> makeModels(ModelsOptions options);
[[nodiscard]] engine::Worker& workerOf(Models& models);
/// On the worker.
void closeModel(Models& models, Side side);
void setSettings(Models& models, const Settings& settings);
void setPatience(Models& models, std::chrono::seconds patience);
void setDataFolder(Models& models, const std::filesystem::path& folder);

/// Any thread; returns at once.
template <typename Reply> Ticket start(Models& models, Job<Reply> job, Listener<Reply> listener)
{
    const auto failed = [&models, listener, said = std::move(job.failed)](const Error& error) {
        listener.failed(said ? said(models, error) : error);
    };
    if (job.work)
        return workerOf(models).post(
            job.urgency,
            [&models, listener, failed, work = std::move(job.work)](const Control& control) {
                auto result = work(models, control);
                if (!result.has_value())
                    return failed(result.error());
                listener.told(std::make_shared<const Reply>(std::move(*result)));
                listener.finished();
            },
            failed, listener.progressed);
    return workerOf(models).postSteps(
        job.urgency,
        [&models, listener, failed, step = std::move(job.step)](const engine::Turn& turn) {
            const Result<engine::Next> next = step(models, turn, listener.told);
            if (!next.has_value() && turn.gaveWay())
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
