// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/why/weightscontroller.h"

#include "app/controllers/why/pagework.h"
#include "app/present/heads/sidenames.h"
#include "app/present/why/weightpresenters.h"
#include "app/state/modelheads.h"

namespace headscope::gui {

using widgets::WeightsPage;
using widgets::WeightsView;

namespace {

constexpr const char* kWeightsMetric = "copying";

} // namespace

WeightsController::WeightsController(WindowState& state, app::Door& door, WeightsPage& page, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_page(page)
{
    connect(&page, &WeightsPage::shown, this, [this] {
        for (const Side side : kSides)
            refresh(side);
    });
    connect(&page, &WeightsPage::startRequested, this, [this] {
        for (const Side side : kSides)
            start(side);
    });
    connect(&page, &WeightsPage::stopRequested, this, [this] { m_door.stopBoth<app::WeightsQuestion>(); });
    connect(&state, &WindowState::modelChanged, this, [this](Side side) {
        m_door.withdraw<app::WeightsQuestion>(side);
        m_shown[indexOf(side)].reset();
        refresh(side);
    });
    connect(&state, &WindowState::headChanged, this, &WeightsController::refresh);
    connect(&state, &WindowState::metricChanged, this, [this](Side side) {
        const SideState& now = m_state.side(side);
        if (now.metric == kWeightsMetric && !now.ownMetrics.contains(kWeightsMetric))
            start(side);
    });
    door.on<app::WeightsQuestion>(this, &WeightsController::show);
    showWork<app::WeightsQuestion>(door, page);
    for (const Side side : kSides) {
        connect(page.view(side), &WeightsView::headChosen, this,
                [this, side](const QString& head) { chooseHead(m_state, side, head); });
        chooseHeads(m_state, side, *page.view(side), this);
        refresh(side);
    }
}

void WeightsController::refresh(Side side)
{
    WeightsView& view = *m_page.view(side);
    view.setVisible(m_state.hasModel(side) || side == Side::A);
    if (!m_state.hasModel(side) || m_state.side(side).isStored()) {
        view.setTitle({});
        return view.setProblem(tr("Open a model to analyse its weights."));
    }
    const SideState& now = m_state.side(side);
    view.setTitle(QStringLiteral("%1: %2").arg(letterOf(side), modelText(*now.model)));
    const auto& shown = m_shown[indexOf(side)];
    if (shown && shown->question.head == now.head)
        return;
    if (isLarge(*now.model))
        return view.setProblem(tr("This reads all weights of a large model once. Press the button to start."));
    if (m_page.isVisible())
        start(side);
}

void WeightsController::start(Side side)
{
    const SideState& now = m_state.side(side);
    if (!now.model || now.isStored())
        return;
    // Copying is of all heads where it takes a moment, or where nothing else was asked for.
    m_door.ask(app::WeightsQuestion{
        .side = side, .head = now.head, .allCopying = !isLarge(*now.model) || now.metric == kWeightsMetric});
}

void WeightsController::show(Side side, const std::shared_ptr<const app::WeightsReply>& reply)
{
    const SideState& now = m_state.side(side);
    if (!now.model || now.model->hash != reply->modelHash)
        return;
    if (reply->question.allCopying)
        m_state.setOwnMetric(side, kWeightsMetric, reply->copying);
    m_shown[indexOf(side)] = reply;
    m_page.view(side)->setWeights(weightsData(*reply, now.model), weightsSentence(*reply, *now.model));
}

} // namespace headscope::gui
