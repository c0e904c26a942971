// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/whycontroller.h"

#include "app/present/sidenames.h"
#include "app/present/text.h"
#include "app/present/whypresenters.h"

namespace headscope::gui {

using Kind = BackendClient::Kind;
using widgets::WhyPage;
using widgets::WhyView;

WhyController::WhyController(WindowState& state, BackendClient& client, WhyPage& page, QObject* parent)
    : QObject(parent), m_state(state), m_client(client), m_page(page)
{
    connect(&page, &WhyPage::shown, this, &WhyController::refreshBoth);
    connect(&state, &WindowState::promptChanged, this, &WhyController::refreshBoth);
    connect(&state, &WindowState::modelChanged, this, &WhyController::refresh);
    connect(&state, &WindowState::ablationChanged, this, &WhyController::refresh);
    connect(&client, &BackendClient::lensReady, this, [this](Side side, const auto& lens) {
        if (lens->ablation == m_state.side(side).ablation)
            m_page.view(side)->setLens(lensData(*lens), lensSentence(*lens));
    });
    connect(&client, &BackendClient::directReady, this, [this](Side side, const auto& parts) {
        if (parts->ablation != m_state.side(side).ablation)
            return;
        m_parts[indexOf(side)] = parts;
        m_page.view(side)->setParts(partRows(*parts), partSentence(*parts));
    });
    connect(&client, &BackendClient::failed, this, &WhyController::showProblem);
    for (const Side side : kSides)
        connect(page.view(side), &WhyView::partChosen, this, [this, side](const QString& part) { choose(side, part); });
}

void WhyController::refreshBoth()
{
    for (const Side side : kSides)
        refresh(side);
}

void WhyController::refresh(Side side)
{
    m_page.setShown(side, m_state.hasModel(side) || side == Side::A);
    if (!m_page.isVisible())
        return;
    WhyView& view = *m_page.view(side);
    view.setTitle(m_state.hasModel(side) ? stateText(m_state.stateOf(side)) : QString());
    const app::Prompt& prompt = m_state.promptOf(side);
    if (!m_state.hasModel(side) || m_state.side(side).isStored() || prompt.text.empty()) {
        m_client.stop(Kind::Lens, side);
        m_client.stop(Kind::Direct, side);
        m_parts[indexOf(side)].reset();
        view.setLensProblem(tr("Open a model and write a prompt to look into."));
        view.setPartsProblem({});
        return;
    }
    m_client.requestLens(m_state.stateOf(side), prompt);
    m_client.requestDirect(m_state.stateOf(side), prompt);
}

void WhyController::showProblem(Kind kind, Side side, const QString& sentence)
{
    if (kind == Kind::Lens)
        m_page.view(side)->setLensProblem(sentence);
    if (kind != Kind::Direct)
        return;
    m_parts[indexOf(side)].reset();
    m_page.view(side)->setPartsProblem(sentence);
}

// A head of the list becomes the one whose pattern is shown.
void WhyController::choose(Side side, const QString& part)
{
    if (const auto& parts = m_parts[indexOf(side)])
        for (const app::DirectValue& value : parts->values)
            if (value.kind == app::DirectValue::Kind::Head && text(value.name) == part)
                m_state.setHead(side, value.head);
}

} // namespace headscope::gui
