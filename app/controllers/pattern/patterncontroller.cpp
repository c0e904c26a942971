// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/pattern/patterncontroller.h"

#include "app/present/heads/headmarks.h"
#include "app/present/heads/sidenames.h"
#include "app/present/prompt/patternpresenters.h"
#include "app/state/modelheads.h"

#include <algorithm>

namespace headscope::gui {

using widgets::PatternPage;
using widgets::PatternShown;
using widgets::PatternView;

PatternController::PatternController(WindowState& state, app::Door& door, PatternPage& page, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_page(page)
{
    connectState();
    for (const Side side : kSides)
        connectView(side);
    const auto askBoth = [this] {
        for (const Side side : kSides)
            ask(side);
    };
    connect(&page, &PatternPage::shownChanged, this, askBoth);
    connect(&page, &PatternPage::conventionChanged, this, askBoth);
    connect(&page, &PatternPage::signedChanged, this, [this] {
        for (const Side side : kSides)
            fill(side);
    });
    door.on<app::MapRequest>(&state, &WindowState::setPattern);
    door.on<app::RowsRequest>(this, [this](Side side, const auto& rows) {
        const auto& shown = at(side).pattern;
        if (shown && rows->request == shown->request && m_page.shown() != PatternShown::RowOfHeads)
            view(side)->setExactRows({rows->first, exactRows(*shown, rows, m_page.isSigned())});
    });
    door.on<app::RowOfHeadsRequest>(this, [this](Side side, const auto& heads) {
        m_heads[indexOf(side)] = heads;
        fill(side);
    });
    connect(&door, &app::Door::failed, this, [this](const app::Lane& lane, const QString& sentence) {
        if (lane.is<app::MapRequest>() || lane.is<app::RowOfHeadsRequest>() || lane.is<app::TokensRequest>())
            m_state.setPatternProblem(lane.side, sentence);
    });
}

void PatternController::connectState()
{
    connect(&m_state, &WindowState::modelChanged, this, &PatternController::modelChanged);
    connect(&m_state, &WindowState::ablationChanged, this, &PatternController::ask);
    connect(&m_state, &WindowState::headChanged, this, [this](Side side) {
        arrange();
        ask(side);
    });
    connect(&m_state, &WindowState::promptChanged, this, [this](bool reread) {
        for (const Side side : kSides)
            if (reread || !at(side).keptPrompt)
                ask(side);
    });
    connect(&m_state, &WindowState::patternChanged, this, &PatternController::arrived);
    connect(&m_state, &WindowState::effectsChanged, this, &PatternController::showTag);
    connect(&m_state, &WindowState::foundHeadsChanged, this, &PatternController::showTag);
    connect(&m_state, &WindowState::metricChanged, this, &PatternController::showTag);
    connect(&m_state, &WindowState::ownMetricsChanged, this, &PatternController::showTag);
    connect(&m_state, &WindowState::lockedRowChanged, this,
            [this](Side side) { view(side)->setLockedRow(at(side).lockedRow); });
}

void PatternController::connectView(Side side)
{
    connect(view(side), &PatternView::rowLocked, this, [=, this](int row) {
        if (m_page.shown() == PatternShown::RowOfHeads)
            chooseHeadOfRow(side, row);
    });
    connect(view(side), &PatternView::rowsWanted, this, [=, this](int first, int count) {
        if (const auto& shown = at(side).pattern)
            m_door.ask(app::RowsRequest{side, m_state.promptOf(side), shown->request, first, count});
    });
}

void PatternController::modelChanged(Side side)
{
    m_heads[indexOf(side)].reset();
    arrange();
    if (!at(side).model)
        return;
    view(side)->clearPattern(tr("Reading the pattern …"));
    if (!m_state.prompt().text.empty()) // else when there is one
        ask(side);
}

void PatternController::arrange()
{
    m_page.setTwo(m_state.hasModel(Side::A) && m_state.hasModel(Side::B));
    m_page.setSsm(std::ranges::any_of(kSides, [this](Side side) {
        return m_state.hasModel(side) && siteOf(*at(side).model, at(side).head) == interventions::Site::Ssm;
    }));
}

void PatternController::ask(Side side)
{
    const SideState& now = at(side);
    if (!now.model || now.isStored())
        return;
    if (m_state.promptOf(side).text.empty())
        return view(side)->clearPattern(tr("Type a prompt, or choose a benchmark sample above."));
    view(side)->setStale(true);
    if (m_page.shown() == PatternShown::AMinusB)
        view(Side::A)->setStale(true);
    m_door.ask(app::MapRequest{side, m_state.promptOf(side), patternRequest(now, m_page.shown(), m_page.convention())});
}

void PatternController::arrived(Side side)
{
    const bool difference = m_page.shown() == PatternShown::AMinusB;
    if (!at(side).pattern) {
        for (const Side shown : {side, difference ? Side::A : side}) {
            view(shown)->setStale(false);
            view(shown)->clearPattern(at(side).patternProblem);
        }
        return;
    }
    if (m_page.shown() == PatternShown::RowOfHeads)
        askRowOfHeads(side);
    else
        fill(side);
    if (difference && side == Side::B)
        fill(Side::A);
}

void PatternController::askRowOfHeads(Side side)
{
    if (!at(side).isStored())
        m_door.ask(app::RowOfHeadsRequest{side, m_state.promptOf(side), shownRow(at(side)), at(side).ablation});
}

void PatternController::fill(Side side)
{
    const auto& shown = at(side).pattern;
    if (!shown)
        return;
    view(side)->setStale(false);
    showTag(side);
    switch (m_page.shown()) {
    case PatternShown::AMinusB:
        if (side == Side::A)
            fillDifference();
        break;
    case PatternShown::RowOfHeads:
        if (const auto& heads = m_heads[indexOf(side)];
            heads && heads->matrix.cols == static_cast<int>(shown->prompt.ids.size()))
            view(side)->setPattern(rowOfHeadsData(heads, {*shown, *at(side).model}, letterOf(side),
                                                  provenance(at(side), m_state.promptOf(side))));
        return;
    default: {
        widgets::PatternData data = patternData(shown, *at(side).model, letterOf(side),
                                                provenance(at(side), m_state.promptOf(side)), m_page.isSigned());
        const auto& there = at(otherSide(side)).pattern;
        if (side == Side::B && there && there->text != shown->text)
            data.meaning = tr("a prompt of its own · %1").arg(data.meaning);
        view(side)->setPattern(data);
    }
    }
    view(side)->setLockedRow(at(side).lockedRow);
}

void PatternController::fillDifference()
{
    const QString& problem = at(Side::B).patternProblem;
    if (!at(Side::B).pattern)
        return view(Side::A)->clearPattern(problem.isEmpty() ? tr("Reading the pattern …") : problem);
    const auto isFormer = [this](Side side) { // a stored map may be shown without a prompt
        const std::string& text = m_state.promptOf(side).text;
        return !text.empty() && at(side).pattern->text != text;
    };
    if (std::ranges::any_of(kSides, isFormer))
        return view(Side::A)->setStale(true); // the new one is on its way
    const app::PatternReply &a = *at(Side::A).pattern, &b = *at(Side::B).pattern;
    if (a.pool > 1 || b.pool > 1)
        return view(Side::A)->clearPattern(
            tr("A − B needs whole maps, which are not available above 4,096 tokens. Choose another view "
               "above."));
    view(Side::A)->setPattern(differenceData({a, *at(Side::A).model}, {b, *at(Side::B).model}, m_state.tokenMatch(),
                                             provenance(at(Side::A), m_state.promptOf(Side::A))));
}

// Of the head on the map, which the chosen one may not be yet.
void PatternController::showTag(Side side)
{
    const auto& shown = at(side).pattern;
    const bool ofOneHead = m_page.shown() != PatternShown::AMinusB && m_page.shown() != PatternShown::RowOfHeads;
    view(side)->setTag(shown && ofOneHead ? headTag(at(side), shown->request.head) : QStringList());
}

void PatternController::chooseHeadOfRow(Side side, int row)
{
    if (const auto& heads = m_heads[indexOf(side)]; heads && row >= 0 && row < static_cast<int>(heads->heads.size()))
        m_state.setHead(side, heads->heads[static_cast<std::size_t>(row)]);
}

} // namespace headscope::gui
