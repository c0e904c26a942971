// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/models/messagecontroller.h"

#include "widgets/frame/messagebar.h"

#include <utility>

namespace headscope::gui {

using Step = Message::Step;
using widgets::MessageBar;

namespace {

MessageBar::Kind barKind(Message::Kind kind)
{
    switch (kind) {
    case Message::Kind::Info:
    case Message::Kind::Offer: return MessageBar::Kind::Info;
    case Message::Kind::Warning: return MessageBar::Kind::Warning;
    case Message::Kind::Error: return MessageBar::Kind::Error;
    }
    return MessageBar::Kind::Info;
}

/// Of what is asked of the prompt on the screen as it stands.
bool readsPrompt(const app::Lane& lane)
{
    return lane.is<app::PreviewsRequest, app::HeadScoresRequest, app::NextTokensRequest, app::RowsRequest,
                   app::ProfileRowRequest, app::RowOfHeadsRequest, app::HoverRequest, app::LensRequest,
                   app::DirectRequest, app::LogProbsRequest, app::PromptEffectsRequest, app::ExpertsRequest>();
}

QString actionId(const Message& message)
{
    return QStringLiteral("%1 %2").arg(static_cast<int>(message.step)).arg(static_cast<int>(indexOf(message.side)));
}

std::pair<Step, Side> actionOf(const QString& id)
{
    return {static_cast<Step>(id.section(u' ', 0, 0).toInt()), kSides[id.section(u' ', 1, 1).toUInt()]};
}

} // namespace

MessageController::MessageController(WindowState& state, app::Door& door, MessageBar& bar, QObject* parent)
    : QObject(parent), m_state(state), m_bar(bar)
{
    connect(&state, &WindowState::notified, this, &MessageController::show);
    connect(&state, &WindowState::messageCleared, &bar, &MessageBar::clear);
    connect(&bar, &MessageBar::actionTriggered, this, &MessageController::act);
    connect(&bar, &MessageBar::closed, this, &MessageController::showOffer);
    // Another step would be taken back now: the button goes, the sentence stays.
    connect(&state.undoStack(), &QUndoStack::indexChanged, this, [this](int index) {
        if (m_state.undoStack().command(index - 1) != m_shownBehind && m_shown.step == Message::Step::Undo
            && m_bar.text() == m_shown.text)
            m_bar.showMessage(barKind(m_shown.kind), m_shown.text);
        m_shown = {};
    });
    door.on<app::OpenSessionRequest>(this, [this](Side, const auto& notices) {
        QStringList texts;
        for (const std::string& notice : *notices)
            texts.append(QString::fromStdString(notice));
        if (!texts.isEmpty())
            show({.kind = Message::Kind::Warning, .text = texts.join(u' ')});
    });
    connect(&door, &app::Door::failed, this, [this](const app::Lane& lane, const QString& sentence) {
        // Several ask at once what can be read of a prompt, and the first answer may come to any of them.
        if (lane.is<app::TokensRequest>()) {
            m_saidInPlace = sentence;
            if (m_bar.text() == sentence)
                m_bar.clear();
        }
        if (readsPrompt(lane) && sentence == m_saidInPlace)
            return;
        if (m_shown.step == Step::CutPrompt && m_bar.text() == m_shown.text && readsPrompt(lane))
            return; // that sentence says why, and what to do
        // A prompt or a model that cannot be read is said where it stands; for a forecast nobody has asked.
        if (!lane.is<app::TokensRequest, app::MapRequest, app::OpenModelRequest, app::ForecastRequest,
                     app::PatchCostRequest, app::EdgeCostRequest>())
            show({.kind = Message::Kind::Error, .text = sentence});
    });
}

void MessageController::show(const Message& message)
{
    const bool offers = message.kind == Message::Kind::Offer,
               offered = m_shown.kind == Message::Kind::Offer && m_bar.text() == m_shown.text;
    if (offers && !offered && !m_bar.text().isEmpty()) {
        m_offer = message;
        return;
    }
    if (!offers && offered)
        m_offer = m_shown;
    QString step;
    switch (message.step) {
    case Step::None: break;
    case Step::Undo: step = tr("Undo (Ctrl+Z)"); break;
    case Step::CompareWithAllHeadsOn: step = tr("Compare with all heads on"); break;
    case Step::LocateModel: step = tr("Locate the model …"); break;
    case Step::CutPrompt: step = tr("Cut to fit"); break;
    case Step::ChooseTokenizer: step = tr("Choose the tokenizer …"); break;
    case Step::OpenInSmallerType: step = tr("Open quantized"); break;
    case Step::OpenForAnyWords: step = tr("Open the small English models"); break;
    case Step::MeasureHeads: step = tr("Measure again"); break;
    }
    m_shown = message;
    m_shownBehind = m_state.undoStack().command(m_state.undoStack().index() - 1);
    m_bar.showMessage(barKind(message.kind), message.text, step, actionId(message));
}

void MessageController::showOffer()
{
    if (const auto offer = std::exchange(m_offer, std::nullopt); offer && m_state.side(offer->side).effectsShipped)
        show(*offer);
}

// The bar may show a message that stood there before: what it offers is its own.
void MessageController::act(const QString& id)
{
    const auto [step, side] = actionOf(id);
    switch (step) {
    case Step::None: break;
    case Step::Undo: m_state.undoStack().undo(); break;
    case Step::CompareWithAllHeadsOn: m_state.setReference(side, {side, {}}); break;
    case Step::LocateModel: Q_EMIT locateWanted(side); break;
    case Step::CutPrompt: Q_EMIT cutWanted(side); break;
    case Step::ChooseTokenizer: Q_EMIT tokenizerWanted(side); break;
    case Step::OpenInSmallerType: Q_EMIT smallerTypeWanted(side); break;
    case Step::OpenForAnyWords: Q_EMIT openVocabularyRequested(); break;
    case Step::MeasureHeads: Q_EMIT measuringWanted(side); break;
    }
}

} // namespace headscope::gui
