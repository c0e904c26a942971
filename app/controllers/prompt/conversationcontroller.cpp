// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/prompt/conversationcontroller.h"

#include "app/present/heads/sidenames.h"
#include "app/present/prompt/prompttext.h"
#include "app/present/text.h"

#include <utility>

namespace headscope::gui {

using text::ChatMessage;
using widgets::ChatTurn;
using widgets::ConversationView;
using Turns = std::vector<ChatMessage>;

namespace {

constexpr int kWritingPauseMs = 250; // a pause in typing after which the turns are read

Turns turnsOf(const ConversationView& view)
{
    Turns turns;
    for (const ChatTurn& turn : view.turns())
        turns.push_back({turn.role.toStdString(), turn.text.toStdString()});
    return turns;
}

std::vector<ChatTurn> shownTurns(const Turns& turns)
{
    std::vector<ChatTurn> shown;
    for (const ChatMessage& turn : turns)
        shown.push_back({text(turn.role), text(turn.content)});
    return shown;
}

} // namespace

ConversationController::ConversationController(WindowState& state, app::Door& door, widgets::PromptBar& bar,
                                               QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_bar(bar), m_view(*bar.conversation()), m_growth(state, door)
{
    m_typing.setSingleShot(true);
    m_typing.setInterval(kWritingPauseMs);
    connectView();
    connectDoor();
    connect(&state, &WindowState::promptChanged, this, &ConversationController::showPrompt);
    connect(&state, &WindowState::modelChanged, this, [this] {
        showModels();
        if (!m_state.prompt().turns.empty() && !m_growth.isGrowing())
            write(m_state.prompt().turns);
    });
}

void ConversationController::connectView()
{
    connect(&m_view, &ConversationView::edited, this, &ConversationController::edited);
    connect(&m_typing, &QTimer::timeout, this, [this] { write(turnsOf(m_view)); });
    connect(&m_view, &ConversationView::answerRequested, this, &ConversationController::answer);
    connect(&m_view, &ConversationView::stopRequested, this, [this] { m_door.stopBoth<app::TurnRequest>(); });
}

void ConversationController::connectDoor()
{
    m_door.on<app::ConversationRequest>(
        this, [this](const app::ConversationRequest& request, const auto& texts) { written(request.turns, *texts); });
    m_door.on<app::TurnRequest>(this, [this](Side side, const auto& part) { partArrived(side, *part); });
    connect(&m_door, &app::Door::cancelled, this, [this](const app::Lane& lane) {
        if (lane.is<app::TurnRequest>())
            endAnswer(tr("Stopped."));
    });
    connect(&m_door, &app::Door::failed, this, [this](const app::Lane& lane) {
        if (lane.is<app::TurnRequest>())
            endAnswer({}); // the message bar tells why
    });
}

void ConversationController::begin()
{
    if (m_view.roles().isEmpty())
        return m_state.notify(
            {.text = tr("No open model has a chat template; open a chat model to write a conversation.")});
    if (!m_state.prompt().turns.empty())
        return;
    m_edit = {tr("Conversation"), false};
    write({{"user", m_state.prompt().text}});
}

void ConversationController::edited(bool typed)
{
    if (!typed && m_edit && m_edit->typed)
        m_edit.reset(); // all of it is one step
    if (!m_edit || !typed)
        m_edit = {tr("Change the conversation"), typed};
    m_typing.start(typed ? kWritingPauseMs : 0);
}

void ConversationController::write(Turns turns)
{
    m_typing.stop();
    m_door.ask(app::ConversationRequest{std::move(turns)});
}

app::Prompt ConversationController::promptFor(const Turns& turns, const app::WrittenConversation& texts) const
{
    const app::Prompt& before = m_state.prompt();
    if (!texts.sides[0].hasTemplate && !texts.sides[1].hasTemplate)
        return before; // as a model wrote it that is closed
    const auto& a = texts.sides[indexOf(Side::A)].text;
    const auto& b = texts.sides[indexOf(Side::B)].text;
    app::Prompt after = gui::edited(before, text((m_state.hasModel(Side::A) ? a : b).value_or(std::string())));
    after.turns = turns;
    if (m_state.hasModel(Side::A) && m_state.hasModel(Side::B) && a != b)
        after.textOfB = b.value_or(std::string());
    return after;
}

void ConversationController::written(const Turns& turns, const app::WrittenConversation& texts)
{
    const bool same = turns == m_state.prompt().turns;
    const std::optional<Edit> edit = m_typing.isActive() ? m_edit : std::exchange(m_edit, std::nullopt);
    if (!same && !edit)
        return; // of a prompt before this one
    const app::Prompt prompt = promptFor(turns, texts);
    m_setting = true;
    if (!same)
        m_state.changePrompt(prompt, edit->what, edit->typed);
    else if (prompt != m_state.prompt())
        m_state.setPrompt(prompt);
    m_setting = false;
    showNotes(texts);
    if (const auto side = std::exchange(m_toAnswer, std::nullopt))
        ask(*side);
}

void ConversationController::showNotes(const app::WrittenConversation& texts)
{
    const bool two = m_state.hasModel(Side::A) && m_state.hasModel(Side::B);
    QStringList notes;
    bool refused = false;
    for (const Side side : kSides) {
        const auto& model = m_state.side(side).model;
        const app::WrittenConversation::OfSide& own = texts.sides[indexOf(side)];
        if (!model)
            continue;
        if (!own.problem.empty()) {
            refused = true;
            notes.append(two ? letterOf(side) + QStringLiteral(": ") + text(own.problem) : text(own.problem));
            m_state.setPatternProblem(side, text(own.problem));
        } else if (!own.hasTemplate && own.text) {
            notes.append(
                tr("%1 has no chat template; it reads what the other model's template writes.").arg(text(model->name)));
        } else if (!own.hasTemplate) {
            notes.append(
                tr("%1 has no chat template; open a chat model to change the conversation.").arg(text(model->name)));
        } else if (side == Side::B && m_state.prompt().textOfB) {
            notes.append(tr("B reads the conversation as its own template writes it."));
        }
    }
    m_view.setNote(notes.join(u' '), refused);
}

void ConversationController::showPrompt()
{
    const Turns& turns = m_state.prompt().turns;
    if (m_growth.isSuperseded()) {
        m_growth.forget();
        m_view.setAnswering(false);
        m_door.withdrawBoth<app::TurnRequest>();
    }
    if (!m_setting && !m_growth.isGrowing()) { // undone, restored, or another prompt
        m_edit.reset();
        m_toAnswer.reset();
        m_typing.stop();
        m_door.withdraw<app::ConversationRequest>(Side::A);
        if (!turns.empty())
            write(turns);
    }
    if (!m_typing.isActive())
        m_view.setTurns(shownTurns(turns));
    m_bar.setConversing(!turns.empty());
}

void ConversationController::showModels()
{
    QStringList roles;
    std::array<bool, 2> open{};
    for (const Side side : kSides) {
        const SideState& now = m_state.side(side);
        open[indexOf(side)] = now.model && !now.isStored();
        for (const std::string& role : now.model ? now.model->roles : std::vector<std::string>{})
            if (!roles.contains(text(role)))
                roles.append(text(role));
    }
    m_view.setRoles(roles);
    m_view.setModels(open[0] && !roles.isEmpty(), open[1] && !roles.isEmpty());
}

void ConversationController::answer(Side side)
{
    if (m_state.prompt().turns.empty())
        return m_state.notify(
            {.text = tr("There is no conversation to answer; choose Run > Make the prompt a conversation.")});
    if (!m_typing.isActive() && !m_door.isRunning<app::ConversationRequest>(Side::A))
        return ask(side);
    m_toAnswer = side;
    if (m_typing.isActive())
        write(turnsOf(m_view));
}

void ConversationController::ask(Side side)
{
    const app::Prompt& prompt = m_state.promptOf(side);
    if (prompt.turns.empty() || prompt.text.empty() || m_growth.isGrowing())
        return; // a note says why the template wrote nothing
    m_growth.begin();
    m_view.setAnswering(true);
    m_view.setNote(tr("%1 is answering …").arg(text(m_state.side(side).model->name)));
    m_door.ask(app::TurnRequest{
        {side, prompt, m_state.side(side).ablation, {.tokens = m_view.tokens(), .temperature = m_view.temperature()}}});
}

void ConversationController::partArrived(Side side, const app::ContinuationPart& part)
{
    if (!m_growth.isGrowing())
        return;
    m_growth.add(part);
    switch (part.ending) {
    case app::ContinuationPart::Ending::None: break;
    case app::ContinuationPart::Ending::EnoughTokens:
        endAnswer(tr("The answer reached its maximum number of tokens; Answer continues it."));
        break;
    case app::ContinuationPart::Ending::StopToken: endAnswer(tr("The model ended its answer here.")); break;
    case app::ContinuationPart::Ending::LongestPrompt:
        endAnswer(
            tr("The conversation has the maximum length that %1 reads.").arg(text(m_state.side(side).model->name)));
        break;
    }
}

void ConversationController::endAnswer(const QString& note)
{
    if (!m_growth.isGrowing())
        return;
    m_setting = true;
    m_growth.end(tr("Answer"));
    m_setting = false;
    m_view.setAnswering(false);
    m_view.setNote(note);
}

} // namespace headscope::gui
