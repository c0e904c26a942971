// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lists all keyboard shortcuts of the window: those of the menus, and those of its parts. GUI thread.

#include <QDialog>

class QMenu;
class QMenuBar;
class QTreeWidget;

namespace headscope::gui {

class ShortcutsDialog : public QDialog
{
    Q_OBJECT

public:
    ShortcutsDialog(const QMenuBar& menus, QWidget* parent);
    [[nodiscard]] QTreeWidget* list() const { return m_list; }

private:
    void addMenu(const QMenu& menu, const QString& path);
    void addParts();
    void add(const QString& group, const QString& keys, const QString& what);
    void filter(const QString& text);

    QTreeWidget* m_list;
};

} // namespace headscope::gui
