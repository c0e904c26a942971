// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fills the finder: every command of the menus, and heads, tasks, runs and tokens of the open models. GUI thread.

#include "widgets/frame/finder.h"

#include <QObject>
#include <QPointer>

#include <functional>
#include <vector>

class QAction;
class QMenu;
class QMenuBar;

namespace headscope::gui {

class ExplorerPage;

class CommandFinder : public QObject
{
    Q_OBJECT

public:
    CommandFinder(QMenuBar& menus, ExplorerPage& page, QWidget& window);
    void open();
    [[nodiscard]] widgets::Finder* finder() const { return m_finder; }

private:
    void collect();
    void addMenu(const QMenu& menu, const QString& path);
    void addHeads();
    void addTasks();
    void addRuns();
    void addTokens();
    void add(const QString& title, const QString& group, std::function<void()> act, const QString& keys = {},
             bool enabled = true);

    QMenuBar& m_menus;
    ExplorerPage& m_page;
    QWidget& m_window;
    widgets::Finder* m_finder;
    QList<widgets::FinderEntry> m_entries;
    std::vector<std::function<void()>> m_acts; ///< by the id of an entry
};

} // namespace headscope::gui
