// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All menus behind one button, or in a line of their own, as the person chooses. Their keys work either way. GUI
// thread.

#include <QPointer>
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
    /// The same button for another page; owned by whatever it is put into.
    [[nodiscard]] QToolButton* makeTwin();
    /// Shows the line whatever was chosen on pages without such a button.
    void setSeen(bool seen);

private:
    void dress(QToolButton* button) const;
    void open();

    QMenuBar& m_bar;
    QPointer<QToolButton> m_twin;
    QAction* m_line;
    bool m_seen = false;
};

} // namespace headscope::gui
