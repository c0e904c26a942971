// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/pattern/rowprofilecontroller.h"

#include "app/controllers/pattern/patternlinks.h"
#include "app/present/prompt/patternpresenters.h"

namespace headscope::gui {

RowProfileController::RowProfileController(WindowState& state, app::Door& door, widgets::PatternPage& page,
                                           PatternLinks& links, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_page(page)
{
    connect(&state, &WindowState::patternChanged, this, [this](Side side) {
        m_exact[indexOf(side)].reset();
        show(side);
    });
    connect(&state, &WindowState::lockedRowChanged, this, &RowProfileController::show);
    connect(&state, &WindowState::modelChanged, this, [this](Side side) {
        m_exact[indexOf(side)].reset();
        show(side);
    });
    door.on<app::ProfileRowRequest>(this, [this](Side side, const auto& rows) {
        const auto& shown = m_state.side(side).pattern;
        if (!shown || !(rows->request == shown->request))
            return;
        m_exact[indexOf(side)] = rows;
        show(side);
    });
    for (const Side side : kSides)
        connect(page.profile(side), &widgets::RowProfileView::tokenHovered, this,
                [this, side](int token) { pointAt(side, token); });
    connect(&page, &widgets::PatternPage::signedChanged, this, [this] {
        for (const Side side : kSides)
            show(side);
    });
    connect(&links, &PatternLinks::tokenPointedAt, this, &RowProfileController::mark);
}

void RowProfileController::show(Side side)
{
    const SideState& now = m_state.side(side);
    const int row = shownRow(now);
    if (row < 0)
        return m_page.clearProfile(side);
    const app::PatternReply& shown = *now.pattern;
    const auto& exact = m_exact[indexOf(side)];
    const int within = exact ? row - exact->first : -1;
    if (shown.pool == 1)
        m_page.setProfile(side, rowProfile(shown, *now.model, row, shown.matrix.row(row), m_page.isSigned()));
    else if (within >= 0 && within < exact->rows.rows)
        m_page.setProfile(side, rowProfile(shown, *now.model, row, exact->rows.row(within), m_page.isSigned()));
    else {
        m_page.clearProfile(side); // it is of another row, or of another prompt
        if (!now.isStored())
            m_door.ask(app::ProfileRowRequest{{side, m_state.promptOf(side), shown.request, row, 1}});
    }
}

void RowProfileController::mark(Side side, int token, int partner)
{
    m_page.profile(side)->setMarkedToken(token);
    m_page.profile(otherSide(side))->setMarkedToken(partner);
}

void RowProfileController::pointAt(Side side, int token)
{
    const Side other = otherSide(side);
    const int there = m_page.linked() ? m_state.partner(side, token) : -1;
    mark(side, token, there);
    m_page.view(side)->setCrosshair(token < 0 ? -1 : shownRow(m_state.side(side)), token);
    m_page.view(other)->setCrosshair(there < 0 ? -1 : shownRow(m_state.side(other)), there);
}

} // namespace headscope::gui
