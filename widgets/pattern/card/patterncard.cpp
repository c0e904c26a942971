// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/card/patterncard.h"

#include <QEvent>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr int kLeastMap = 80;
constexpr double kMostProfile = 0.3; // of the map's side, for the bars

std::vector<Role> rolesOf(const PatternData& data)
{
    std::vector<Role> roles;
    for (const Role role : kRoles)
        if (std::any_of(data.segments.begin(), data.segments.end(),
                        [role](const TokenSpan& span) { return span.role == role; }))
            roles.push_back(role);
    return roles;
}

} // namespace

PatternCard::PatternCard(Side side, QWidget* parent)
    : QWidget(parent), m_view(new PatternView(this)), m_profile(new RowProfileView(side, this)),
      m_footer(new PatternFooter(this))
{
    makePage(this);
    m_view->setSide(side);
    connect(m_view, &PatternView::columnsMoved, this, &PatternCard::follow);
    connect(m_view, &PatternView::readoutChanged, this, [this] { m_footer->setReadout(m_view->readout()); });
}

void PatternCard::setProfile(const RowProfile& profile)
{
    m_profile->setProfile(profile);
    m_footer->setSentences(rowSentence(profile), rowDetail(profile), briefRowSentence(profile));
}

void PatternCard::clearProfile()
{
    m_profile->clearProfile();
    m_footer->setSentences({}, {});
}

QSize PatternCard::sizeHint() const
{
    return {420, 560};
}

QSize PatternCard::minimumSizeHint() const
{
    return {m_view->roomBeside() + kLeastMap,
            m_view->roomAbove() + kLeastMap + m_profile->leastHeight() + m_footer->sizeHint().height()};
}

// Nothing here depends on what the lines say: a result that arrives moves no cell.
void PatternCard::arrange()
{
    const int below = m_footer->sizeHint().height();
    const int above = m_view->roomAbove() + 2;
    const int least = m_profile->leastHeight();
    const int side = std::max(kLeastMap, std::min(width() - m_view->roomBeside(), height() - above - below - least));
    m_view->setGeometry(0, 0, width(), above + side);
    const int most = std::max(least, static_cast<int>(kMostProfile * side) + m_profile->labelRoom());
    const int bars = std::clamp(height() - below - m_view->height(), 0, most);
    m_profile->setGeometry(0, m_view->height(), width(), bars);
    m_footer->setGeometry(0, m_view->height() + bars, width(), below);
    follow();
}

void PatternCard::follow()
{
    const PatternGeometry geometry = m_view->mapGeometry();
    const bool shown = geometry.valid();
    m_profile->setVisible(shown);
    if (!shown)
        return m_footer->clearLegend();
    m_profile->setColumns(geometry.columns(), m_view->pattern().tokens);
    m_footer->setLegend(m_view->scale(), rolesOf(m_view->pattern()));
}

void PatternCard::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void PatternCard::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        arrange();
}

} // namespace headscope::widgets
