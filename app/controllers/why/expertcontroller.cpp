// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/why/expertcontroller.h"

#include "app/present/heads/headedits.h"
#include "app/present/heads/sidenames.h"
#include "app/present/why/expertpresenters.h"
#include "core/base/writefile.h"

#include <QFileDialog>

#include <set>

namespace headscope::gui {

using widgets::ExpertPage;
using widgets::ExpertView;

ExpertController::ExpertController(WindowState& state, app::Door& door, widgets::WhyPage& page, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_why(page), m_page(*page.experts())
{
    connect(&m_page, &ExpertPage::shown, this, &ExpertController::refreshBoth);
    connect(&m_page, &ExpertPage::choiceChanged, this, [this] {
        for (const Side side : kSides)
            show(side);
    });
    connect(&state, &WindowState::promptChanged, this, [this] {
        m_shown = {};
        refreshBoth();
    });
    connect(&state, &WindowState::ablationChanged, this, &ExpertController::refresh);
    connect(&state, &WindowState::modelChanged, this, [this](Side side) {
        m_shown[indexOf(side)].reset();
        refreshPage();
        refresh(side);
    });
    door.on<app::ExpertsRequest>(this, &ExpertController::take);
    connect(&door, &app::Door::failed, this, [this](const app::Lane& lane, const QString& sentence) {
        if (!lane.is<app::ExpertsRequest>())
            return;
        m_shown[indexOf(lane.side)].reset();
        m_page.view(lane.side)->setProblem(sentence);
    });
    for (const Side side : kSides)
        connectSide(side);
    refreshPage();
}

void ExpertController::connectSide(Side side)
{
    const ExpertView* view = m_page.view(side);
    connect(view, &ExpertView::switchRequested, this,
            [this, side](int expert, bool off) { ablate(side, expert, off); });
    connect(view, &ExpertView::saveRequested, this, [this, side] { save(side); });
}

void ExpertController::refreshPage()
{
    std::set<int> layers;
    for (const Side side : kSides) {
        const auto& model = m_state.side(side).model;
        const QList<int> own = model ? expertLayers(*model) : QList<int>();
        m_page.setShown(side, !own.isEmpty());
        layers.insert(own.begin(), own.end());
    }
    m_page.setLayers(QList<int>(layers.begin(), layers.end()));
    m_why.setExpertsShown(!layers.empty());
}

void ExpertController::refreshBoth()
{
    for (const Side side : kSides)
        refresh(side);
}

void ExpertController::refresh(Side side)
{
    if (!m_page.isVisible())
        return;
    ExpertView& view = *m_page.view(side);
    const auto& model = m_state.side(side).model;
    if (!model || expertLayers(*model).isEmpty())
        return m_door.withdraw<app::ExpertsRequest>(side);
    view.setTitle(stateText(m_state, m_state.stateOf(side)));
    if (m_state.promptOf(side).text.empty()) {
        m_door.withdraw<app::ExpertsRequest>(side);
        m_shown[indexOf(side)].reset();
        return view.setProblem(tr("Enter a prompt to see the experts of its tokens."));
    }
    if (isCurrent(side)) {
        m_door.withdraw<app::ExpertsRequest>(side);
        return show(side);
    }
    m_door.ask(app::ExpertsRequest{m_state.stateOf(side), m_state.promptOf(side)});
}

bool ExpertController::isCurrent(Side side) const
{
    const auto& shown = m_shown[indexOf(side)];
    return shown && m_state.hasModel(side) && shown->state == m_state.stateOf(side)
           && shown->text == m_state.promptOf(side).text;
}

void ExpertController::take(Side side, std::shared_ptr<const app::ExpertsReply> reply)
{
    m_shown[indexOf(side)] = std::move(reply);
    show(side);
}

void ExpertController::show(Side side)
{
    const auto& shown = m_shown[indexOf(side)];
    if (!isCurrent(side) || m_page.layer() < 0)
        return;
    const QString of = provenance(m_state.side(side), m_state.promptOf(side));
    m_page.view(side)->setExperts(expertGrid(shown, m_page.layer(), m_page.order(), side, of),
                                  expertSentence(*shown, m_page.layer(), *m_state.side(side).model));
}

void ExpertController::ablate(Side side, int expert, bool off)
{
    if (!m_state.hasModel(side))
        return;
    const interventions::HeadRef ref{m_page.layer(), interventions::Site::Expert, expert};
    const QString name = QString::fromStdString(toText(ref));
    m_state.setActiveSide(side);
    m_state.changeAblation(side,
                           switched(*m_state.side(side).model, m_state.side(side).ablation, std::vector{ref}, off),
                           off ? tr("Ablate %1").arg(name) : tr("Restore %1").arg(name));
}

Result<void> ExpertController::write(Side side, const QString& path) const
{
    const auto& shown = m_shown[indexOf(side)];
    if (!shown)
        return inputError("There are no choices of experts to save yet.");
    return writeFile(path.toStdString(), expertCsv(*shown));
}

void ExpertController::save(Side side)
{
    const QString path = QFileDialog::getSaveFileName(m_page.window(), tr("Save the choices of experts"),
                                                      QStringLiteral("experts.csv"), tr("Numbers (*.csv)"));
    if (path.isEmpty())
        return;
    if (const auto written = write(side, path); !written.has_value())
        m_state.showError(written.error());
}

} // namespace headscope::gui
