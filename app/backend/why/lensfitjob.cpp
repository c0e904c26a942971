// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/values/lensfitvalues.h"

#include "app/backend/models.h"
#include "app/workbench/models/lensfit.h"

namespace headscope::app {

namespace {

/// A fit of a lens in steps, a prompt each, so that clicks come in between. Worker thread.
class LensFitJob
{
public:
    explicit LensFitJob(LensFitQuestion question) : m_question(std::move(question)) {}

    /// False when the lens is written and compared with the logit lens.
    [[nodiscard]] Result<bool> step(Models& models, const Control& control)
    {
        if (!m_fitting)
            return start(models, control);
        if (!m_written) {
            const auto more = m_fitting->step(control);
            m_written = more.has_value() && !*more;
            return more.has_value() ? Result<bool>(true) : more;
        }
        auto quality = m_fitting->quality(m_fitting->lens(), control);
        if (!quality.has_value())
            return quality.error();
        m_quality = std::move(*quality);
        return false;
    }
    /// Keeps what is done, for one that is stopped.
    [[nodiscard]] Result<void> keep() const { return m_fitting && !m_written ? m_fitting->keep() : Result<void>(); }
    [[nodiscard]] LensFitReply reply() const { return {m_question.fit, m_fitting->prompts(), m_quality}; }

private:
    [[nodiscard]] Result<bool> start(Models& models, const Control& control)
    {
        auto model = models.opened(m_question.state.side);
        if (!model.has_value())
            return model.error();
        m_model = std::move(*model);
        auto fitting = LensFitting::open(*m_model, m_question.fit, control);
        if (!fitting.has_value())
            return fitting.error();
        m_fitting.emplace(std::move(*fitting));
        return true;
    }

    LensFitQuestion m_question;
    std::shared_ptr<Opened> m_model;
    std::optional<LensFitting> m_fitting;
    LensQuality m_quality;
    bool m_written = false;
};

Result<LensForecast> forecastLens(Models& models, const LensForecastRequest& request, const Control& control)
{
    const auto model = models.opened(request.state.side);
    if (!model.has_value())
        return model.error();
    const auto fitting = LensFitting::open(**model, request.fit, control);
    if (!fitting.has_value())
        return fitting.error();
    const auto seconds = fitting->seconds();
    if (!seconds.has_value())
        return seconds.error();
    return LensForecast{fitting->prompts(), fitting->done(), fitting->leftOut(), *seconds, fitting->bytes()};
}

} // namespace

Job<LensForecast> jobOf(const LensForecastRequest& request)
{
    return inOneGo(engine::Urgency::Look, forecastLens, request);
}

Job<LensFitReply> jobOf(const LensFitQuestion& request)
{
    const auto job = std::make_shared<LensFitJob>(request);
    return {.urgency = engine::Urgency::Background,
            .step = [job](Models& models, const engine::Turn& turn,
                          const Send<LensFitReply>& send) -> Result<engine::Next> {
                const auto more = job->step(models, turn);
                if (!more.has_value())
                    return more.error();
                if (*more)
                    return engine::Next::Again;
                send(std::make_shared<const LensFitReply>(job->reply()));
                return engine::Next::End;
            },
            .failed =
                [job](Models&, const Error& error) {
                    const auto kept = job->keep();
                    return kept.has_value() ? error : kept.error();
                }};
}

} // namespace headscope::app
