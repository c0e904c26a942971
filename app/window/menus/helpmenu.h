// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The menu Help: tours, what a part is for, the keys, and what this program is. GUI thread.

#include <QObject>

class QMenu;
class QMenuBar;
class QWidget;

namespace headscope::widgets {
class MessageBar;
}

namespace headscope::gui {

class TourGuide;

class HelpMenu : public QObject
{
    Q_OBJECT

public:
    HelpMenu(QMenuBar& bar, TourGuide& guide, widgets::MessageBar& messages, QWidget* window);

private:
    void addTours(QMenu& menu, TourGuide& guide);
    static void explainFocus();
    void showKeys();
    void showAbout();

    widgets::MessageBar& m_messages;
    QWidget* m_window;
};

} // namespace headscope::gui
