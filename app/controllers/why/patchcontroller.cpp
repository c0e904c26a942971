// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/why/patchcontroller.h"

#include "app/controllers/why/pagework.h"
#include "app/present/heads/headspans.h"
#include "app/present/heads/sidenames.h"
#include "app/present/why/pairpresenters.h"
#include "app/present/why/patchpresenters.h"
#include "app/state/modelheads.h"

namespace headscope::gui {

using widgets::PatchPage;
using widgets::PatchView;

namespace {

app::PatchedPart partOf(PatchPage::Part part)
{
    switch (part) {
    case PatchPage::Part::Heads: return app::PatchedPart::Heads;
    case PatchPage::Part::HeadsByToken: return app::PatchedPart::HeadsByToken;
    case PatchPage::Part::State: return app::PatchedPart::State;
    case PatchPage::Part::Stream: return app::PatchedPart::Stream;
    case PatchPage::Part::Mixer: return app::PatchedPart::Mixer;
    case PatchPage::Part::Mlp: break;
    }
    return app::PatchedPart::Mlp;
}

constexpr std::size_t kHeadsByToken = 64; // of more heads those of one layer are shown

} // namespace

PatchController::PatchController(WindowState& state, app::Door& door, PatchPage& page, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_page(page)
{
    connect(&page, &PatchPage::startRequested, this, qOverload<>(&PatchController::start));
    connect(&page, &PatchPage::stopRequested, this, &PatchController::stop);
    connect(&page, &PatchPage::choiceChanged, this, [this] {
        for (const Side side : kSides)
            askCost(side);
    });
    door.on<app::PatchCostRequest>(this, [this](const app::PatchCostRequest& request, const auto& cost) {
        const Side side = request.of.of.state.side;
        m_page.view(side)->setCost(costText(*cost));
        const auto& shown = m_shown[indexOf(side)];
        if (cost->atOnce() && m_page.isVisible() && !(shown && shown->question == request.of))
            start(side);
    });
    connect(&state, &WindowState::promptChanged, this, [this] {
        m_page.pair()->propose({});
        for (const Side side : kSides)
            forget(side);
    });
    connect(&state, &WindowState::modelChanged, this, &PatchController::forget);
    connect(&state, &WindowState::ablationChanged, this, &PatchController::forget);
    door.on<app::PatchQuestion>(this, &PatchController::show);
    door.on<app::PatchedRunRequest>(this, [this](Side side, const auto& reply) {
        const auto& map = m_shown[indexOf(side)];
        if (map && m_state.hasModel(side) && reply->look.isOf(map->question))
            m_page.view(side)->look()->setLook(patchedRunData(*reply, *m_state.side(side).model, letterOf(side),
                                                              provenance(m_state.side(side), m_state.promptOf(side))));
    });
    connect(&door, &app::Door::failed, this, [this](const app::Lane& lane, const QString& sentence) {
        if (lane.is<app::PatchedRunRequest>())
            m_page.view(lane.side)->look()->setLook({.sentence = sentence});
    });
    showWork<app::PatchQuestion>(door, page);
    for (const Side side : kSides) {
        connect(page.view(side)->grid(), &widgets::GridView::cellChosen, this,
                [this, side](int row, int column) { choose(side, row, column); });
        connect(page.view(side), &PatchView::cellsChosen, this, [this, side] { look(side); });
        forget(side);
    }
}

void PatchController::start()
{
    for (const Side side : kSides)
        start(side);
}

void PatchController::start(Side side)
{
    const auto asked = question(side);
    if (!asked)
        return;
    m_shown[indexOf(side)].reset();
    m_page.view(side)->setProblem(asked->of.pairs > 1 ? tr("Patching … Stop keeps the finished pairs.")
                                                      : tr("Patching …"));
    m_door.ask(*asked);
}

std::optional<app::PatchQuestion> PatchController::question(Side side) const
{
    const app::Prompt& prompt = m_state.promptOf(side);
    if (!m_state.hasModel(side) || m_state.side(side).isStored() || prompt.text.empty())
        return std::nullopt;
    const PatchPage::Choice choice = m_page.choice();
    const bool oneLayer =
        choice.part == PatchPage::Part::HeadsByToken && headCount(*m_state.side(side).model) > kHeadsByToken;
    return app::PatchQuestion{pairQuestion(m_state.stateOf(side), prompt, choice.pair), partOf(choice.part),
                              oneLayer ? m_state.side(side).head.layer : -1};
}

void PatchController::askCost(Side side)
{
    m_door.withdraw<app::PatchCostRequest>(side);
    m_page.view(side)->setCost({});
    if (const auto asked = question(side); asked && m_page.isVisible())
        m_door.ask(app::PatchCostRequest{*asked});
}

void PatchController::look(Side side)
{
    const auto& map = m_shown[indexOf(side)];
    const auto cells = map ? cellsAt(*map, m_page.view(side)->grid()->chosen()) : std::vector<app::PatchedCell>();
    if (cells.empty())
        return m_door.withdraw<app::PatchedRunRequest>(side);
    // Of a single head its own map tells nothing of the patch, which comes behind it; that of the shown head does.
    m_door.ask(app::PatchedRunRequest{map->question, cells, m_state.side(side).head});
}

// What is patched so far stays on the screen.
void PatchController::stop()
{
    for (const Side side : kSides) {
        if (m_door.isRunning<app::PatchQuestion>(side) && !m_shown[indexOf(side)])
            m_page.view(side)->setProblem(tr("Stopped before the first pair was finished."));
        m_door.stop<app::PatchQuestion>(side);
    }
}

void PatchController::forget(Side side)
{
    m_door.withdraw<app::PatchQuestion>(side);
    m_door.withdraw<app::PatchedRunRequest>(side);
    m_shown[indexOf(side)].reset();
    m_page.setShown(side, m_state.hasModel(side) || side == Side::A,
                    m_state.hasModel(side) ? widestLayer(*m_state.side(side).model) : 0);
    PatchView& view = *m_page.view(side);
    view.setTitle(m_state.hasModel(side) ? stateText(m_state, m_state.stateOf(side)) : QString());
    view.setProblem(m_state.hasModel(side) ? tr("Choose what to patch and the other prompt, then press Patch.")
                                           : tr("Open a model and enter a prompt."));
    askCost(side);
}

void PatchController::show(Side side, const std::shared_ptr<const app::PatchReply>& reply)
{
    if (!m_state.hasModel(side) || reply->question.of.state != m_state.stateOf(side))
        return;
    const app::ModelSummary& model = *m_state.side(side).model;
    m_shown[indexOf(side)] = reply;
    if (side == Side::A || !m_state.hasModel(Side::A))
        m_page.pair()->propose(otherPrompt(reply->over));
    m_page.view(side)->setPatches(
        patchGrid(reply, m_state.side(side).model, provenance(m_state.side(side), m_state.promptOf(side))),
        promptPair(reply->over), patchSentence(*reply, model), patchHeadline(*reply, model));
    if (const auto values = patchValues(*reply, model); !values.empty())
        m_state.setOwnMetric(side, "patching", values);
}

// A head of the map becomes the one whose pattern is shown.
void PatchController::choose(Side side, int row, int column)
{
    const auto& map = m_shown[indexOf(side)];
    if (!map || map->question.part != app::PatchedPart::Heads)
        return;
    for (const app::PatchedCell& cell : cellsAt(*map, {{row, column}}))
        m_state.setHead(side, cell.head);
}

} // namespace headscope::gui
