// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/why/scorepartscontroller.h"

#include "app/controllers/why/pagework.h"
#include "app/present/heads/sidenames.h"
#include "app/present/text.h"
#include "widgets/look/numbertext.h"

namespace headscope::gui {

using widgets::PatternView;
using widgets::ScorePartsPage;
using widgets::ScorePartsView;

namespace {

std::vector<widgets::PartRow> rowsOf(const app::ScorePartsReply::Parts& parts, double position)
{
    std::vector<widgets::PartRow> rows;
    for (const auto& [name, value] : parts)
        rows.push_back({.name = text(name), .value = value, .head = interventions::parseHead(name).has_value()});
    if (position != 0)
        rows.push_back({.name = ScorePartsController::tr("position"), .value = position});
    return rows;
}

} // namespace

ScorePartsController::ScorePartsController(WindowState& state, app::Door& door, widgets::PatternPage& patterns,
                                           ScorePartsPage& page, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_patterns(patterns), m_page(page)
{
    connect(&page, &ScorePartsPage::shown, this, [this] {
        for (const Side side : kSides)
            refresh(side);
    });
    const auto anew = [this](Side side) {
        m_asked[indexOf(side)].reset();
        refresh(side);
    };
    connect(&state, &WindowState::modelChanged, this, anew);
    connect(&state, &WindowState::headChanged, this, anew);
    connect(&state, &WindowState::promptChanged, this, [anew] {
        for (const Side side : kSides)
            anew(side);
    });
    connect(&state, &WindowState::ablationChanged, this, &ScorePartsController::refresh);
    connect(&state, &WindowState::patternChanged, this, [this](Side side) {
        if (!m_asked[indexOf(side)]) // what is strongest is known now
            refresh(side);
    });
    door.on<app::ScorePartsRequest>(this, &ScorePartsController::show);
    connect(&door, &app::Door::failed, this, [this](const app::Lane& lane, const QString& sentence) {
        if (lane.is<app::ScorePartsRequest>())
            m_page.view(lane.side)->setProblem(sentence);
    });
    for (const Side side : kSides) {
        connect(patterns.view(side), &PatternView::whyRequested, this, [this, side](int row, int col) {
            m_asked[indexOf(side)] = Place(row, col);
            Q_EMIT pageWanted();
            refresh(side);
        });
        connect(page.view(side), &ScorePartsView::writerChosen, this,
                [this, side](const QString& writer) { chooseHead(m_state, side, writer); });
    }
}

std::optional<ScorePartsController::Place> ScorePartsController::strongest(Side side) const
{
    const PatternView& map = *m_patterns.view(side);
    const int row = map.profileRow();
    if (!m_state.side(side).pattern || !map.pattern().rowLabels.isEmpty() || row < 0)
        return std::nullopt;
    const int key = map.strongestIn(row);
    return key < 0 ? std::nullopt : std::optional(Place(row, key));
}

void ScorePartsController::refresh(Side side)
{
    ScorePartsView& view = *m_page.view(side);
    view.setVisible(m_state.hasModel(side) || side == Side::A);
    if (!m_page.isVisible())
        return m_door.withdraw<app::ScorePartsRequest>(side);
    view.setTitle(m_state.hasModel(side) ? stateText(m_state, m_state.stateOf(side)) : QString());
    const auto place = m_asked[indexOf(side)] ? m_asked[indexOf(side)] : strongest(side);
    if (!m_state.hasModel(side) || m_state.side(side).isStored() || !place) {
        m_door.withdraw<app::ScorePartsRequest>(side);
        return view.setProblem(tr("Open a model, enter a prompt and right-click a cell of a map."));
    }
    m_door.ask(app::ScorePartsRequest{.state = m_state.stateOf(side),
                                      .prompt = m_state.promptOf(side),
                                      .head = m_state.side(side).head,
                                      .query = place->first,
                                      .key = place->second});
}

void ScorePartsController::show(Side side, const std::shared_ptr<const app::ScorePartsReply>& reply)
{
    if (reply->question.state != m_state.stateOf(side) || reply->question.head != m_state.side(side).head)
        return;
    widgets::ScorePartsData data{.queryToken = text(reply->queryToken),
                                 .keyToken = text(reply->keyToken),
                                 .query = rowsOf(reply->queryParts, reply->position),
                                 .key = rowsOf(reply->keyParts, reply->position),
                                 .pairs = {}};
    for (const app::ScorePartsReply::Pair& pair : reply->pairs)
        data.pairs.push_back({text(pair.query), text(pair.key), pair.value});
    const QString form =
        reply->linearised
            ? tr("%1 at “%2” (%3) reads “%4” (%5) with %6 of its row: C · B times the decay is %7 above the mean over "
                 "the keys it sees. The writers count to first order in this run; the residue is what that leaves.")
            : tr("%1 at “%2” (%3) attends to “%4” (%5) with weight %6: its score is %7 above the mean over the keys it "
                 "sees. Each list adds up to that.");
    QString sentence = form.arg(text(reply->head), text(reply->queryToken))
                           .arg(reply->question.query)
                           .arg(text(reply->keyToken))
                           .arg(reply->question.key)
                           .arg(widgets::numberText(reply->share), widgets::signedText(reply->score));
    if (reply->normed)
        sentence += u' ' + tr("Query and key norms are held at their scale in this run.");
    if (reply->capped)
        sentence += u' ' + tr("The model caps its scores; this is the score before the cap.");
    m_page.view(side)->setParts(std::move(data), sentence);
}

} // namespace headscope::gui
