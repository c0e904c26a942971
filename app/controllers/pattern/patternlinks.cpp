// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/pattern/patternlinks.h"

#include "widgets/pattern/patterngeometry.h"

namespace headscope::gui {

using widgets::PatternPage;
using widgets::PatternShown;
using widgets::PatternView;

PatternLinks::PatternLinks(WindowState& state, PatternPage& page, QObject* parent)
    : QObject(parent), m_state(state), m_page(page)
{
    for (const Side side : kSides)
        connectView(side);
    connect(&page, &PatternPage::linkedChanged, this, [this](bool on) {
        if (on)
            lockRow(Side::A, m_state.side(Side::A).lockedRow);
    });
}

bool PatternLinks::linked() const
{
    return m_page.linked() && m_page.shown() != PatternShown::AMinusB;
}

void PatternLinks::connectView(Side side)
{
    PatternView* one = view(side);
    PatternView* two = view(otherSide(side));
    connect(one, &PatternView::viewportChanged, this, [=, this](const widgets::Viewport& viewport) {
        if (linked())
            two->setViewport(
                widgets::PatternGeometry::followed(viewport, one->pattern().cols(), two->pattern().cols(),
                                                   [this, side](int token) { return m_state.partner(side, token); }));
    });
    connect(one, &PatternView::cellHovered, this, [=, this](int row, int col) {
        const int there = m_page.linked() ? m_state.partner(side, col) : -1;
        if (linked()) // lines of all heads have no partner on the other side, tokens have
            two->setCrosshair(m_page.shown() == PatternShown::RowOfHeads ? -1 : m_state.partner(side, row), there);
        Q_EMIT tokenPointedAt(side, col, there);
    });
    connect(one, &PatternView::hoverEnded, this, [=, this] {
        two->setCrosshair(-1, -1);
        Q_EMIT tokenPointedAt(side, -1, -1);
    });
    connect(one, &PatternView::rowLocked, this, [=, this](int row) {
        if (m_page.shown() != PatternShown::RowOfHeads)
            lockRow(side, row);
    });
}

void PatternLinks::lockRow(Side side, int row)
{
    m_state.setLockedRow(side, row);
    if (m_page.linked())
        m_state.setLockedRow(otherSide(side), row < 0 ? -1 : m_state.partner(side, row));
}

} // namespace headscope::gui
