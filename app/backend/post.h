// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Jobs of one step, and jobs in steps that have news now and then: what they answer is told, or why not. app/backend
// only.

#include "app/backend/state.h"

namespace headscope::app {

template <typename T>
Ticket post(Backend::State& state, engine::Urgency urgency,
            std::function<Result<T>(Backend::State&, const Control&)> work, Backend::Reply<T> done,
            Backend::Failed failed, Backend::Report report = {})
{
    auto job = [&state, work = std::move(work), done = std::move(done), failed](const Control& control) {
        auto result = work(state, control);
        if (result.has_value())
            done(std::make_shared<const T>(std::move(*result)));
        else
            failed(result.error());
    };
    return state.post(urgency, std::move(job), failed, std::move(report));
}

/// The same for what one function reads off the state.
template <typename T, typename Question>
Ticket postRead(Backend::State& state, engine::Urgency urgency,
                Result<T> (*read)(Backend::State&, const Question&, const Control&), const Question& question,
                Backend::Reply<T> done, Backend::Failed failed, Backend::Report report = {})
{
    return post<T>(
        state, urgency,
        [read, question](Backend::State& own, const Control& control) { return read(own, question, control); },
        std::move(done), std::move(failed), std::move(report));
}

/// A job that can be stopped and gone on with: step() says whether there is more, hasNews() whether a person would like
/// to hear what reply() is by now. It is told behind the last step in any case.
template <typename Reply, typename Job>
Ticket postJob(Backend::State& state, engine::Urgency urgency, const std::shared_ptr<Job>& job,
               Backend::Reply<Reply> done, Backend::Failed failed, Backend::Report report = {})
{
    const auto step = [&state, job, done = std::move(done)](const engine::Turn& turn) -> Result<engine::Next> {
        const auto more = job->step(state, turn);
        if (!more.has_value())
            return more.error();
        if (job->hasNews() || !*more)
            done(std::make_shared<const Reply>(job->reply()));
        return *more ? engine::Next::Again : engine::Next::End;
    };
    return state.postSteps(urgency, step, std::move(failed), std::move(report));
}

} // namespace headscope::app
