// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A job of one step: what it answers is told, or why not. app/backend only.

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

} // namespace headscope::app
