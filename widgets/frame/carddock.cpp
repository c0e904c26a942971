// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/carddock.h"

#include "widgets/look/boxes/card.h"
#include "widgets/look/icons.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/labels/termbutton.h"

#include <QHBoxLayout>
#include <QMainWindow>
#include <QMenu>
#include <QPainter>
#include <QToolButton>

namespace headscope::widgets {

namespace {

constexpr int kDockEdge = 6;   // between a card and the window's edge
constexpr int kWithinDock = 6; // beside what the card holds

} // namespace

CardDock::CardDock(const QString& title, const QString& term, QWidget* content, QWidget* parent)
    : QDockWidget(title, parent), m_title(new QWidget), m_page(new QWidget)
{
    setFeatures(DockWidgetMovable | DockWidgetFloatable | DockWidgetClosable);
    auto* name = new PlainLabel(title);
    QFont bold = font();
    bold.setBold(true);
    name->setFont(bold);
    auto* more = new QToolButton;
    more->setIcon(icon(u"ellipsis"));
    more->setAutoRaise(true);
    more->setFocusPolicy(Qt::TabFocus);
    more->setAccessibleName(tr("Place of \"%1\"").arg(title));
    more->setToolTip(tr("Float or hide this card; drag it by its heading"));
    more->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(more);
    if (!content->actions().isEmpty()) {
        menu->addActions(content->actions());
        menu->addSeparator();
    }
    menu->addAction(tr("Float or dock"), this, [this] { setFloating(!isFloating()); });
    menu->addAction(tr("Hide"), this, &QDockWidget::close);
    more->setMenu(menu);
    auto* heading = new QHBoxLayout(m_title);
    heading->setSpacing(0);
    heading->addWidget(name);
    heading->addWidget(new TermButton(term));
    heading->addStretch();
    heading->addWidget(more);
    setTitleBarWidget(m_title);
    auto* page = new QVBoxLayout(m_page);
    page->addWidget(content);
    setWidget(m_page);
    connect(this, &QDockWidget::dockLocationChanged, this, &CardDock::fit);
    connect(this, &QDockWidget::topLevelChanged, this, &CardDock::fit);
    fit();
}

QMargins CardDock::around() const
{
    if (isFloating())
        return {};
    const auto* window = qobject_cast<const QMainWindow*>(parentWidget());
    const Qt::DockWidgetArea area = window ? window->dockWidgetArea(const_cast<CardDock*>(this)) : Qt::NoDockWidgetArea;
    return {area == Qt::LeftDockWidgetArea ? kDockEdge : kBetween, kBetween,
            area == Qt::RightDockWidgetArea ? kDockEdge : kBetween, kBetween};
}

void CardDock::fit()
{
    const QMargins edge = around();
    m_title->layout()->setContentsMargins(edge.left() + 12, edge.top() + 3, edge.right() + 6, 0);
    m_page->layout()->setContentsMargins(edge.left() + kWithinDock, 0, edge.right() + kWithinDock,
                                         edge.bottom() + Card::kMargin);
    update();
}

void CardDock::resizeEvent(QResizeEvent* event)
{
    QDockWidget::resizeEvent(event);
    fit();
}

void CardDock::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    paintCard(painter, rect().marginsRemoved(around()), palette());
}

} // namespace headscope::widgets
