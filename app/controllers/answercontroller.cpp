// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/answercontroller.h"

#include "app/present/text.h"
#include "widgets/pattern/patterndata.h"

namespace headscope::gui {

using Verdict = widgets::ModelAnswer::Verdict;

namespace {

constexpr std::size_t kShown = 4; // tokens

QString answerLabel(const std::string& token)
{
    const QString words = text(token);
    return widgets::tokenLabel(words.trimmed().isEmpty() ? words : words.trimmed());
}

} // namespace

AnswerController::AnswerController(WindowState& state, app::Door& door, widgets::AnswersView& view, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_view(view)
{
    connect(&state, &WindowState::promptChanged, this, [this] {
        for (const Side side : kSides)
            refresh(side);
    });
    connect(&state, &WindowState::modelChanged, this, [this](Side side) {
        m_before[indexOf(side)] = {};
        refresh(side);
    });
    connect(&state, &WindowState::ablationChanged, this, &AnswerController::refresh);
    door.on<app::NextTokensRequest>(this, &AnswerController::show);
    connect(&door, &app::Door::failed, this, [this](const app::Lane& lane) {
        if (lane.is<app::NextTokensRequest>())
            m_view.clear(lane.side); // the prompt says why
    });
}

void AnswerController::refresh(Side side)
{
    const app::Prompt& prompt = m_state.promptOf(side);
    if (!m_state.hasModel(side) || m_state.side(side).isStored() || prompt.text.empty()) {
        m_door.stop<app::NextTokensRequest>(side);
        return m_view.clear(side);
    }
    m_view.setWaiting(side);
    m_door.ask(app::NextTokensRequest{side, prompt, m_state.side(side).ablation});
}

void AnswerController::show(const app::NextTokensRequest& request,
                            const std::shared_ptr<const app::NextTokenReply>& reply)
{
    if (reply->tokens.empty())
        return m_view.clear(request.side);
    const QString wanted = text(request.prompt.answer).trimmed();
    widgets::ModelAnswer answer{.said = answerLabel(reply->written)};
    const bool right = !wanted.isEmpty() && text(reply->written).trimmed() == wanted;
    if (!wanted.isEmpty())
        answer.verdict = right ? Verdict::Right : Verdict::Wrong;
    for (std::size_t i = 0; i < std::min(kShown, reply->tokens.size()); ++i)
        answer.likely.append({answerLabel(reply->tokens[i].first), reply->tokens[i].second});
    Before& before = m_before[indexOf(request.side)];
    if (request.ablation.empty()) {
        before = {request.prompt.text, answer.said, right};
    } else if (before.prompt == request.prompt.text && before.said != answer.said) {
        answer.before = before.said;
        if (before.right)
            answer.verdict = Verdict::WasRight;
    }
    m_view.setAnswer(request.side, answer);
}

} // namespace headscope::gui
