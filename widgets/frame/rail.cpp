// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/rail.h"

#include "widgets/frame/carddock.h"
#include "widgets/look/plaintext.h"

#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

namespace headscope::widgets {

namespace {

constexpr int kRailGap = 4;    // between the card and the page
constexpr int kWithinRail = 3; // around its buttons
constexpr int kSign = 20;      // px of an icon

} // namespace

Rail::Rail(Qt::DockWidgetArea side, QWidget* parent) : Card(parent)
{
    setFixedWidth(kWidth);
    const bool left = side == Qt::LeftDockWidgetArea;
    setContentsMargins(left ? CardDock::kEdge : kRailGap, CardDock::kBetween, left ? kRailGap : CardDock::kEdge,
                       CardDock::kBetween);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kWithinRail, kWithinRail + Card::kMargin, kWithinRail, kWithinRail);
    column->addStretch();
}

void Rail::setDocks(const QList<QDockWidget*>& docks)
{
    qDeleteAll(findChildren<QToolButton*>());
    for (qsizetype i = 0; i < docks.size(); ++i) {
        QDockWidget* dock = docks.at(i);
        auto* button = new QToolButton;
        button->setIcon(dock->windowIcon());
        button->setIconSize(QSize(kSign, kSign));
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        const QString unfolds = tr("Unfold %1").arg(dock->windowTitle());
        button->setToolTip(plainText(unfolds));
        button->setAccessibleName(unfolds);
        connect(button, &QToolButton::clicked, this, [this, dock] { Q_EMIT chosen(dock); });
        static_cast<QVBoxLayout*>(layout())->insertWidget(static_cast<int>(i), button, 0, Qt::AlignHCenter);
    }
}

void Rail::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    paintCard(painter, contentsRect(), palette());
}

} // namespace headscope::widgets
