// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/siderails.h"

#include "widgets/frame/carddock.h"
#include "widgets/frame/rail.h"

#include <QHBoxLayout>
#include <QMainWindow>
#include <QToolButton>

#include <array>
#include <utility>

namespace headscope::gui {

using widgets::CardDock;
using widgets::Rail;

namespace {

constexpr std::array kSideAreas{Qt::LeftDockWidgetArea, Qt::RightDockWidgetArea};

} // namespace

SideRails::SideRails(QMainWindow& window, const QList<CardDock*>& docks)
    : QObject(&window), m_window(window), m_docks(docks)
{
    makeRails();
    for (CardDock* dock : docks) {
        connect(dock, &CardDock::foldRequested, this, [this, dock] { setSide(dock, false); });
        // By the menu, or because something is to be seen in it. While docks that share a place are hidden one after
        // the other, each is seen for a moment: that is over when this is called.
        const auto unfoldWhereSeen = [this, dock] {
            if (isFolded(dock) && !dock->isHidden())
                setSide(dock, true);
        };
        connect(dock, &QDockWidget::visibilityChanged, this, unfoldWhereSeen, Qt::QueuedConnection);
        connect(dock, &QDockWidget::visibilityChanged, this, &SideRails::showButtons);
        connect(dock, &QDockWidget::dockLocationChanged, this, &SideRails::showButtons);
        connect(dock, &QDockWidget::topLevelChanged, this, &SideRails::showButtons);
    }
}

void SideRails::makeRails()
{
    auto* centre = new QWidget;
    auto* line = new QHBoxLayout(centre);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    line->addWidget(m_window.takeCentralWidget(), 1);
    for (const Qt::DockWidgetArea side : kSideAreas) {
        auto* rail = new Rail(side, centre);
        rail->hide();
        line->insertWidget(side == Qt::LeftDockWidgetArea ? 0 : 2, rail);
        connect(rail, &Rail::chosen, this, [this](QDockWidget* dock) { setSide(dock, true); });
        m_rails.insert(side, rail);
    }
    m_window.setCentralWidget(centre);
}

void SideRails::setAnalysing(bool on)
{
    if (std::exchange(m_analysing, on) == on)
        return;
    unfold();
    fold();
}

void SideRails::setOpen(Qt::DockWidgetAreas open)
{
    unfold();
    m_open = open;
    fold();
}

// The focus stays where the person is: at what folds the side again, or unfolds it.
void SideRails::setSide(QDockWidget* dock, bool open)
{
    const Qt::DockWidgetArea side = m_window.dockWidgetArea(dock);
    m_open.setFlag(side, open);
    if (open) {
        unfoldSide(side);
        dock->raise();
        static_cast<CardDock*>(dock)->foldButton()->setFocus();
    } else {
        foldSide(side);
        if (auto* button = m_rails.value(side)->findChild<QToolButton*>())
            button->setFocus();
    }
    Q_EMIT changed();
}

void SideRails::reveal(const QWidget* widget)
{
    for (CardDock* dock : std::as_const(m_docks))
        if (isFolded(dock) && dock->isAncestorOf(widget))
            return setSide(dock, true);
}

QSize SideRails::sizeOf(QDockWidget* dock) const
{
    return isFolded(dock) ? m_folded.value(dock).size : dock->size();
}

void SideRails::fold()
{
    for (const Qt::DockWidgetArea side : kSideAreas)
        if (!m_open.testFlag(side))
            foldSide(side);
    showButtons();
}

void SideRails::unfold()
{
    for (const Qt::DockWidgetArea side : kSideAreas)
        unfoldSide(side);
}

void SideRails::foldSide(Qt::DockWidgetArea side)
{
    Rail* rail = m_rails.value(side);
    QList<QDockWidget*> here;
    for (CardDock* dock : std::as_const(m_docks))
        if (canFold(dock) && m_window.dockWidgetArea(dock) == side && !dock->isHidden())
            here.append(dock);
    if (!m_analysing || here.isEmpty())
        return;
    for (QDockWidget* dock : std::as_const(here)) // all of them before one gives its height to another
        m_folded.insert(dock, {dock->size(), !dock->visibleRegion().isEmpty()});
    for (QDockWidget* dock : std::as_const(here))
        dock->hide();
    rail->setDocks(here);
    rail->show();
}

void SideRails::unfoldSide(Qt::DockWidgetArea side)
{
    QList<QDockWidget*> here, inFront;
    QList<int> widths, heights;
    for (CardDock* dock : std::as_const(m_docks))
        if (isFolded(dock) && m_window.dockWidgetArea(dock) == side) {
            const Before before = m_folded.take(dock);
            here.append(dock);
            widths.append(before.size.width());
            heights.append(before.size.height());
            if (before.inFront)
                inFront.append(dock);
        }
    if (here.isEmpty())
        return;
    m_rails.value(side)->hide();
    for (QDockWidget* dock : std::as_const(here))
        dock->show();
    m_window.resizeDocks(here, widths, Qt::Horizontal);
    m_window.resizeDocks(here, heights, Qt::Vertical);
    for (QDockWidget* dock : std::as_const(inFront))
        dock->raise();
    m_window.layout()->activate(); // they have their sizes from here on
    Q_EMIT unfolded();
}

bool SideRails::canFold(QDockWidget* dock) const
{
    return !dock->isFloating() && m_rails.contains(m_window.dockWidgetArea(dock));
}

void SideRails::showButtons()
{
    for (CardDock* dock : std::as_const(m_docks))
        dock->foldButton()->setVisible(m_analysing && canFold(dock));
}

} // namespace headscope::gui
