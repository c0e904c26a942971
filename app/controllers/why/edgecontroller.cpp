// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/why/edgecontroller.h"

#include "app/controllers/why/pagework.h"
#include "app/present/heads/headspans.h"
#include "app/present/heads/sidenames.h"
#include "app/present/text.h"
#include "app/present/why/edgepresenters.h"
#include "app/present/why/pairpresenters.h"
#include "app/state/modelheads.h"
#include "core/base/writefile.h"

#include <QFileDialog>

namespace headscope::gui {

using widgets::EdgePage;
using widgets::EdgeView;

namespace {

app::EdgesAround aroundOf(EdgePage::Around around)
{
    switch (around) {
    case EdgePage::Around::Feeding: return app::EdgesAround::Feeding;
    case EdgePage::Around::Listening: return app::EdgesAround::Listening;
    case EdgePage::Around::Both: break;
    }
    return app::EdgesAround::Both;
}

} // namespace

EdgeController::EdgeController(WindowState& state, app::Door& door, EdgePage& page, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_page(page)
{
    connect(&page, &EdgePage::startRequested, this, qOverload<>(&EdgeController::start));
    connect(&page, &EdgePage::stopRequested, this, &EdgeController::stop);
    connect(&page, &EdgePage::choiceChanged, this, [this] {
        for (const Side side : kSides)
            askCost(side);
    });
    door.on<app::EdgeCostRequest>(this, [this](const app::EdgeCostRequest& request, const auto& cost) {
        const Side side = request.of.of.state.side;
        m_page.view(side)->setCost(costText(*cost));
        const auto& traced = m_shown[indexOf(side)];
        if (cost->atOnce() && m_page.isVisible() && !(traced && traced->question == request.of))
            start(side);
    });
    connect(&state, &WindowState::promptChanged, this, [this] {
        m_page.pair()->propose({});
        for (const Side side : kSides)
            forget(side);
    });
    connect(&state, &WindowState::modelChanged, this, &EdgeController::forget);
    connect(&state, &WindowState::ablationChanged, this, &EdgeController::forget);
    connect(&state, &WindowState::headChanged, this, [this](Side side) {
        if (m_state.hasModel(side))
            m_page.view(side)->setPart(text(headName(*m_state.side(side).model, m_state.side(side).head)));
    });
    door.on<app::EdgeQuestion>(this, &EdgeController::show);
    showWork<app::EdgeQuestion>(door, page);
    for (const Side side : kSides) {
        connect(page.view(side), &EdgeView::partChanged, this, [this, side] { askCost(side); });
        connect(page.view(side), &EdgeView::partEntered, this, [this, side] { start(side); });
        connect(page.view(side), &EdgeView::partChosen, this,
                [this, side](const QString& name) { choose(side, name); });
        connect(page.view(side), &EdgeView::saveRequested, this, [this, side] { save(side); });
        forget(side);
    }
}

void EdgeController::start()
{
    for (const Side side : kSides)
        start(side);
}

void EdgeController::startAround(Side side, const QString& part, const QString& exchange)
{
    EdgePage::Choice choice = m_page.choice();
    choice.pair.other = exchange == QLatin1String("key")     ? widgets::OtherPrompt::Key
                        : exchange == QLatin1String("value") ? widgets::OtherPrompt::Value
                                                             : widgets::OtherPrompt::Binding;
    m_page.setChoice(choice);
    choose(side, part);
}

void EdgeController::start(Side side)
{
    if (!hasQuestion(side))
        return;
    EdgeView& view = *m_page.view(side);
    m_shown[indexOf(side)].reset();
    const auto asked = question(side);
    if (!asked.has_value()) {
        m_door.withdraw<app::EdgeQuestion>(side);
        view.setProblem(text(asked.error().message));
        return;
    }
    view.setProblem(tr("Tracing edges …"));
    m_door.ask(*asked);
}

bool EdgeController::hasQuestion(Side side) const
{
    return m_state.hasModel(side) && !m_state.side(side).isStored() && !m_state.promptOf(side).text.empty();
}

Result<app::EdgeQuestion> EdgeController::question(Side side) const
{
    const auto part = circuitPart(m_page.view(side)->part(), *m_state.side(side).model);
    if (!part.has_value())
        return part.error();
    const EdgePage::Choice choice = m_page.choice();
    return app::EdgeQuestion{pairQuestion(m_state.stateOf(side), m_state.promptOf(side), choice.pair), *part,
                             aroundOf(choice.around)};
}

void EdgeController::askCost(Side side)
{
    m_door.withdraw<app::EdgeCostRequest>(side);
    m_page.view(side)->setCost({});
    if (!m_page.isVisible() || !hasQuestion(side))
        return;
    if (const auto asked = question(side); asked.has_value())
        m_door.ask(app::EdgeCostRequest{*asked});
}

// What is traced so far stays on the screen.
void EdgeController::stop()
{
    for (const Side side : kSides) {
        if (m_door.isRunning<app::EdgeQuestion>(side) && !m_shown[indexOf(side)])
            m_page.view(side)->setProblem(tr("Stopped before the first pair was finished."));
        m_door.stop<app::EdgeQuestion>(side);
    }
}

void EdgeController::forget(Side side)
{
    m_door.withdraw<app::EdgeQuestion>(side);
    m_shown[indexOf(side)].reset();
    m_page.setShown(side, m_state.hasModel(side) || side == Side::A,
                    m_state.hasModel(side) ? widestLayer(*m_state.side(side).model) : 0);
    EdgeView& view = *m_page.view(side);
    const bool open = m_state.hasModel(side);
    view.setTitle(open ? stateText(m_state, m_state.stateOf(side)) : QString());
    view.setProblem(open ? tr("Choose a head in the map or enter a part, then press Trace.")
                         : tr("Open a model and enter a prompt."));
    if (open && !circuitPart(view.part(), *m_state.side(side).model).has_value())
        view.setPart(text(headName(*m_state.side(side).model, m_state.side(side).head)));
    askCost(side);
}

void EdgeController::show(Side side, std::shared_ptr<const app::EdgeReply> reply)
{
    if (!m_state.hasModel(side) || reply->question.of.state != m_state.stateOf(side))
        return;
    m_page.view(side)->setEdges(edgeData(*reply, *m_state.side(side).model), edgeSentence(*reply));
    if (side == Side::A || !m_state.hasModel(Side::A))
        m_page.pair()->propose(otherPrompt(reply->over));
    m_shown[indexOf(side)] = std::move(reply);
}

void EdgeController::choose(Side side, const QString& name)
{
    if (!m_state.hasModel(side))
        return;
    const auto part = circuitPart(name, *m_state.side(side).model);
    if (!part.has_value())
        return;
    if (part->kind == app::CircuitPart::Kind::Head)
        m_state.setHead(side, part->head);
    m_page.view(side)->setPart(name);
    start(side);
}

Result<void> EdgeController::write(Side side, const QString& path) const
{
    const auto& shown = m_shown[indexOf(side)];
    if (!shown)
        return inputError("There are no edges to save yet; press Trace first.");
    if (path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive))
        return writeFile(path.toStdString(), edgeCsv(*shown));
    return m_page.view(side)->graph()->save(path, edgeSentence(*shown));
}

void EdgeController::save(Side side)
{
    const QString path =
        QFileDialog::getSaveFileName(m_page.window(), tr("Save the edges"), QStringLiteral("edges.pdf"),
                                     tr("Graph (*.pdf *.svg *.png);;Numbers (*.csv)"));
    if (path.isEmpty())
        return;
    if (const auto written = write(side, path); !written.has_value())
        m_state.showError(written.error());
}

} // namespace headscope::gui
