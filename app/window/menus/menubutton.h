// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All menus behind one button, or in a menu bar, as chosen by the user. Shortcuts work in both cases. GUI
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
    /// Adds the entry that shows the menu bar to `view`.
    MenuButton(QMenuBar& bar, QMenu& view, QWidget* window);
    /// Returns an equivalent button for another page; owned by its new parent.
    [[nodiscard]] QToolButton* makeTwin();
    /// Shows the menu bar regardless of the choice on pages without such a button.
    void setBarAlwaysShown(bool always);

private:
    void dress(QToolButton* button) const;
    void open();

    QMenuBar& m_bar;
    QPointer<QToolButton> m_twin;
    QAction* m_line;
    bool m_barAlwaysShown = false;
};

} // namespace headscope::gui
