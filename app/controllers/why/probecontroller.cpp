// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/why/probecontroller.h"

#include "app/controllers/why/pagework.h"
#include "app/present/heads/sidenames.h"
#include "app/present/why/weightpresenters.h"
#include "app/state/modelheads.h"

#include <algorithm>

namespace headscope::gui {

using widgets::ProbePage;

ProbeController::ProbeController(WindowState& state, app::Door& door, ProbePage& page, const Maps& maps,
                                 QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_page(page), m_maps(maps)
{
    connect(&page, &ProbePage::startRequested, this, &ProbeController::start);
    connect(&page, &ProbePage::shown, this, &ProbeController::startAtOnce);
    connect(&page, &ProbePage::stopRequested, this, [this] { m_door.stopBoth<app::ProbeQuestion>(); });
    connect(&page, &ProbePage::labelsChanged, this, [this] {
        for (const Side side : kSides)
            refresh(side);
    });
    connect(&state, &WindowState::modelChanged, this, &ProbeController::forget);
    door.on<app::ProbeQuestion>(this, [this](Side side, const auto& reply) {
        if (!m_state.hasModel(side) || m_state.side(side).model->hash != reply->modelHash)
            return;
        show(side, reply);
    });
    showWork<app::ProbeQuestion>(door, page);
    for (const Side side : kSides) {
        connect(page.view(side)->heads()->table(), &widgets::NumberTable::rowChosen, this,
                [this, side](const QString& name) { chooseHead(m_state, side, name); });
        chooseHeads(m_state, side, *page.view(side)->grids(), this);
        forget(side);
    }
}

void ProbeController::start()
{
    for (const Side side : kSides) {
        const SideState& now = m_state.side(side);
        if (!now.model || now.isStored())
            continue;
        app::ProbeQuestion question{.state = m_state.stateOf(side), .task = retrievalTask(*now.model)};
        question.seed = static_cast<std::uint64_t>(m_page.seed());
        m_page.view(side)->setProblem(tr("Probing every head …"));
        m_door.ask(question);
    }
}

// Where it takes a moment the page answers as soon as it is looked at.
void ProbeController::startAtOnce()
{
    const auto answered = [this](Side side) {
        return !m_state.hasModel(side) || m_state.side(side).isStored() || m_shown[indexOf(side)];
    };
    const auto quick = [this](Side side) {
        return !m_state.hasModel(side) || !isSlowToRank(*m_state.side(side).model);
    };
    if (m_page.isVisible() && !std::ranges::all_of(kSides, answered) && std::ranges::all_of(kSides, quick))
        start();
}

void ProbeController::forget(Side side)
{
    m_door.withdraw<app::ProbeQuestion>(side);
    m_shown[indexOf(side)].reset();
    refresh(side);
    startAtOnce();
}

void ProbeController::show(Side side, const std::shared_ptr<const app::ProbeReply>& reply)
{
    m_shown[indexOf(side)] = reply;
    for (const QString& method : probeMethods(*reply))
        m_state.setOwnMetric(side, "probe " + method.toStdString(), probeValues(*reply, method));
    refresh(side);
}

void ProbeController::showHeads(widgets::ProbeView& view, const app::ProbeReply& reply,
                                const std::shared_ptr<const app::ModelSummary>& model, double threshold)
{
    QStringList titles;
    std::vector<widgets::GridData> grids;
    for (const QString& method : probeMethods(reply)) {
        titles.append(probeName(method));
        grids.push_back(headGrid(model, titles.last(), probeValues(reply, method), 1));
    }
    view.setHeads(titles, std::move(grids), probeNumbers(reply, threshold), probeSentence(reply, threshold));
}

void ProbeController::refresh(Side side)
{
    widgets::ProbeView& view = *m_page.view(side);
    const bool open = m_state.hasModel(side);
    view.setVisible(open || side == Side::A);
    const auto& shown = m_shown[indexOf(side)];
    view.setTitle(!open   ? QString()
                  : shown ? stateText(m_state, {side, shown->question.state.ablation})
                          : QStringLiteral("%1: %2").arg(letterOf(side), modelText(*m_state.side(side).model)));
    const double threshold = m_page.thresholdValue();
    m_maps[indexOf(side)]->model()->setTags(open && shown ? probeTags(*shown, *m_state.side(side).model, threshold)
                                                          : QList<widgets::HeadTag>());
    if (!shown || !open)
        view.setProblem(open ? tr("Press Probe: ten sequences of random tokens, each repeated "
                                  "once, show what each head does where text repeats.")
                             : tr("Open a model."));
    else
        showHeads(view, *shown, m_state.side(side).model, threshold);
}

} // namespace headscope::gui
