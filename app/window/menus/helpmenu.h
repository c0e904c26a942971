// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The menu Help: tours, what a part is for, the keys, and what this program is. GUI thread.

#include <QObject>

class QMenu;
class QMenuBar;
class QWidget;

namespace headscope::gui {

class TourGuide;

class HelpMenu : public QObject
{
    Q_OBJECT

public:
    HelpMenu(QMenuBar& bar, TourGuide& guide, QWidget* window);

private:
    void addTours(QMenu& menu, TourGuide& guide);
    static void explainFocus();
    void showKeys();
    void showAbout();

    QMenuBar& m_bar;
    QWidget* m_window;
};

} // namespace headscope::gui
