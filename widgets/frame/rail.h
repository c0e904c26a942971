// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A folded side of the window: a narrow card with a button for each of its docks. GUI thread.

#include "widgets/look/boxes/card.h"

#include <QList>

class QDockWidget;

namespace headscope::widgets {

class Rail : public Card
{
    Q_OBJECT

public:
    static constexpr int kWidth = 44; ///< px, from the window's edge to the page
    /// `side`: the edge of the window.
    explicit Rail(Qt::DockWidgetArea side, QWidget* parent = nullptr);
    /// Replaces the buttons by one for each of these docks, with their icons and titles.
    void setDocks(const QList<QDockWidget*>& docks);

Q_SIGNALS:
    void chosen(QDockWidget* dock);

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace headscope::widgets
