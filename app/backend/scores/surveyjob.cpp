// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/scores/surveyjob.h"

#include "app/workbench/prompt/prompt.h"
#include "app/workbench/scores/measure.h"

namespace headscope::app {

namespace {

constexpr std::chrono::milliseconds kTurn(30);
constexpr std::chrono::seconds kBetweenTelling(2);

std::filesystem::path pathOf(const sessions::SessionStore* session)
{
    return session ? session->path() : std::filesystem::path();
}

// A session that is open for reading only is left as it is; the survey is then of this window alone.
sessions::SessionStore* writable(sessions::SessionStore* session)
{
    return session && !session->readOnly() ? session : nullptr;
}

} // namespace

SurveyRequest surveyRequest(const SurveySource& ask, const ModelState& model, Models& models)
{
    return {.texts = {ask.texts.begin(), ask.texts.end()},
            .tasks = ask.tasks,
            .taskOptions = taskOptions(models.options()),
            .window = ask.window,
            .tokens = ask.tokens,
            .seed = models.options().seed,
            .places = {},
            .heads = {},
            .ablation = model.ablation};
}

Result<void> SurveyJob::start(Models& models, const Control& control)
{
    auto model = models.opened(m_state.side);
    if (!model.has_value())
        return model.error();
    m_model = std::move(*model);
    sessions::SessionStore* const session = writable(models.session());
    if (session)
        for (const auto& stored :
             {session->putTokenizer(m_model->subject.tokenizer), session->putModel(m_model->subject.model),
              session->putAblation(m_state.ablation.canonical())})
            if (!stored.has_value())
                return stored;
    auto run = SurveyRun::open(*m_model, surveyRequest(m_ask, m_state, models), session, control);
    if (!run.has_value())
        return run.error();
    m_session = pathOf(models.session());
    m_run = std::move(*run);
    return {};
}

Result<bool> SurveyJob::step(Models& models, const Control& control)
{
    if (!m_run) {
        if (const auto started = start(models, control); !started.has_value())
            return started.error();
        return true;
    }
    if (!sameSession(models))
        return inputError("Another session was opened while the survey ran; ask for it again there.");
    const auto more = m_run->step(kTurn, control);
    if (!more.has_value() || *more)
        return more;
    if (const auto stored = m_run->store(); !stored.has_value())
        m_problems.push_back(stored.error().message);
    return false;
}

bool SurveyJob::sameSession(Models& models) const
{
    return pathOf(models.session()) == m_session;
}

Result<void> SurveyJob::keep(Models& models)
{
    return m_run && sameSession(models) ? m_run->store() : Result<void>();
}

bool SurveyJob::isReportDue()
{
    const auto now = std::chrono::steady_clock::now();
    if (!m_run || m_run->finished() || now - m_told < kBetweenTelling) // what is over is told once, with its places
        return false;
    m_told = now;
    return true;
}

Result<SurveyReply> SurveyJob::reply(bool withPlaces) const
{
    auto survey = m_run->result(withPlaces);
    if (!survey.has_value())
        return survey.error();
    SurveyReply result{m_state.ablation,     m_model->provenance(), m_run->vocabulary().share(),
                       m_run->knownTokens(), std::move(*survey),    {}};
    result.asked = m_ask;
    result.uniform = m_run->uniformScores();
    result.costs = m_run->emptyFactSheet();
    if (!withPlaces)
        return result;
    result.problems = m_problems;
    if (auto costs = m_run->knownCosts(); costs.has_value())
        result.costs = std::move(*costs);
    else
        result.problems.push_back(costs.error().message);
    auto prompts = m_run->prompts();
    if (!prompts.has_value())
        return prompts.error();
    for (std::string& text : *prompts) {
        const auto read = encodePrompt(*m_model, text, PromptOrigin::OwnText);
        const auto& own = result.survey.texts[result.prompts.size()].tokens;
        result.prompts.push_back({std::move(text), read.has_value() && read->ids.size() == own.size()});
    }
    return result;
}

Job<SurveyReply> jobOf(const SurveyQuestion& request)
{
    const auto job = std::make_shared<SurveyJob>(request.state, request.ask);
    return {
        .urgency = engine::Urgency::Background,
        .step = [job](Models& models, const engine::Turn& turn, const Send<SurveyReply>& send) -> Result<engine::Next> {
            const auto more = job->step(models, turn);
            if (!more.has_value())
                return more.error();
            if (*more && !job->isReportDue())
                return engine::Next::Again;
            auto reply = job->reply(!*more);
            if (!reply.has_value())
                return reply.error();
            send(std::make_shared<const SurveyReply>(std::move(*reply)));
            return *more ? engine::Next::Again : engine::Next::End;
        },
        // One that is stopped keeps what it has measured.
        .failed =
            [job](Models& models, const Error& error) {
                const auto kept = error.kind == Error::Kind::Cancelled ? job->keep(models) : Result<void>();
                return kept.has_value() ? error : kept.error();
            }};
}

} // namespace headscope::app
