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

constexpr int kWithinDock = 6; // beside what the card holds

} // namespace

CardDock::CardDock(const QString& title, const QString& term, QWidget* content, QWidget* parent)
    : QDockWidget(title, parent), m_title(new QWidget), m_page(new QWidget), m_fold(new QToolButton)
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
    m_fold->setAutoRaise(true);
    m_fold->setFocusPolicy(Qt::TabFocus);
    m_fold->setAccessibleName(tr("Fold the side with \"%1\"").arg(title));
    m_fold->setToolTip(tr("Fold this side of the window to make room for the analysis"));
    m_fold->hide();
    connect(m_fold, &QToolButton::clicked, this, &CardDock::foldRequested);
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
    heading->addWidget(m_fold);
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
    return {area == Qt::LeftDockWidgetArea ? kEdge : kBetween, kBetween,
            area == Qt::RightDockWidgetArea ? kEdge : kBetween, kBetween};
}

void CardDock::fit()
{
    const QMargins edge = around();
    m_fold->setIcon(icon(edge.right() > edge.left() ? u"chevron-right" : u"chevron-left"));
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
