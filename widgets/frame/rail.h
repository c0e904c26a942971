// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is left of a side of the window that is folded: a narrow card with a button for each of its docks. GUI thread.

#include "widgets/look/boxes/card.h"

#include <QList>

class QDockWidget;

namespace headscope::widgets {

class Rail : public Card
{
    Q_OBJECT

public:
    static constexpr int kWidth = 44; ///< px, from the window's edge to the page
    /// `side`: which edge of the window it is at.
    explicit Rail(Qt::DockWidgetArea side, QWidget* parent = nullptr);
    /// Buttons with the icons and titles of these docks, in place of those before.
    void setDocks(const QList<QDockWidget*>& docks);

Q_SIGNALS:
    void chosen(QDockWidget* dock);

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace headscope::widgets
