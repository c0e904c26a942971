// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All menus behind one button, or in a line of their own, as the person chooses. Their keys work either way. GUI
// thread.

#include <QToolButton>

class QAction;
class QMenu;
class QMenuBar;

namespace headscope::gui {

class MenuButton : public QToolButton
{
    Q_OBJECT

public:
    /// `view` gets the entry that shows the line.
    MenuButton(QMenuBar& bar, QMenu& view, QWidget* window);
    /// Shows the line whatever was chosen on pages without this button.
    void setSeen(bool seen);

private:
    void open();

    QMenuBar& m_bar;
    QAction* m_line;
    bool m_seen = false;
};

} // namespace headscope::gui
