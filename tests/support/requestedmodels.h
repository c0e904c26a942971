// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The models of a window without the window: requests are asked from the thread of the test, which waits for their end
// or hears of them on the worker.

#include "app/backend/job.h"
#include "app/backend/values.h"
#include "app/backend/values/edgevalues.h"
#include "app/backend/values/expertvalues.h"
#include "app/backend/values/paircost.h"
#include "app/backend/values/patch.h"
#include "app/backend/values/promptlogprobs.h"
#include "app/backend/values/surveyvalues.h"
#include "app/backend/values/sweep.h"
#include "app/backend/values/weightvalues.h"
#include "app/backend/values/why.h"

#include <QSemaphore>

#include <functional>
#include <memory>
#include <string>

namespace headscope::testing {

/// What a request answered last, or the sentence of its failure.
template <typename Reply> struct Answer {
    std::shared_ptr<const Reply> value;
    std::string error;
};

class RequestedModels
{
public:
    explicit RequestedModels(app::ModelsOptions options) : m_models(app::makeModels(std::move(options))) {}

    /// Waits for its end; `heard` is called on the worker for each reply.
    template <typename Request>
    Answer<typename Request::Reply> ask(const Request& request,
                                        std::function<void(const typename Request::Reply&)> heard = {})
    {
        using Reply = typename Request::Reply;
        struct State {
            Answer<Reply> answer;
            QSemaphore ended;
        };
        const auto state = std::make_shared<State>(); // outlives this call with the worker's copies
        start(request, {.replied =
                            [state, heard](const std::shared_ptr<const Reply>& reply) {
                                state->answer.value = reply;
                                if (heard)
                                    heard(*reply);
                            },
                        .finished = [state] { state->ended.release(); },
                        .failed =
                            [state](const Error& error) {
                                state->answer.error = error.message;
                                state->ended.release();
                            }});
        state->ended.acquire();
        return state->answer;
    }
    /// Returns at once.
    template <typename Request> Ticket start(const Request& request, app::Listener<typename Request::Reply> listener)
    {
        return app::start(*m_models, jobOf(request), std::move(listener));
    }
    Answer<app::ModelSummary> open(const std::string& model)
    {
        return ask(app::OpenModelRequest{Side::A, {model, {}}});
    }
    void setSettings(const app::Settings& settings)
    {
        app::workerOf(*m_models).post(
            engine::Urgency::Change, [this, settings](const Control&) { app::setSettings(*m_models, settings); },
            [](const Error&) {});
    }
    void cancel(Ticket ticket) { app::workerOf(*m_models).cancel(ticket); }

private:
    std::shared_ptr<app::Models> m_models;
};

} // namespace headscope::testing
