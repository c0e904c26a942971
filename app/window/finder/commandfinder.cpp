// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/finder/commandfinder.h"

#include "app/present/heads/headspans.h"
#include "app/present/heads/sidenames.h"
#include "app/present/scores/tasknames.h"
#include "app/window/explorer.h"
#include "app/window/explorerpage.h"

#include <QAction>
#include <QMenu>
#include <QMenuBar>

#include <algorithm>

namespace headscope::gui {

namespace {

constexpr int kMostFound = 4096; // of a model; channels are found by their block
constexpr qsizetype kMostTokens = 2000;

// "&Open …": letters to press are no part of the words.
QString plainTitle(QString title)
{
    title.replace(QStringLiteral("&&"), QStringLiteral("\x01"));
    title.remove(QLatin1Char('&'));
    return title.replace(QLatin1Char('\x01'), QLatin1Char('&'));
}

} // namespace

CommandFinder::CommandFinder(QMenuBar& menus, ExplorerPage& page, QWidget& window)
    : QObject(&window), m_menus(menus), m_page(page), m_window(window), m_finder(new widgets::Finder(&window))
{
    connect(m_finder, &widgets::Finder::chosen, this, [this](int id) {
        const std::function<void()> act = m_acts.at(static_cast<std::size_t>(id)); // what it does may collect anew
        act();
    });
}

void CommandFinder::open()
{
    collect();
    m_finder->setEntries(m_entries);
    m_finder->open(m_window);
}

void CommandFinder::collect()
{
    m_entries.clear();
    m_acts.clear();
    for (const QAction* action : m_menus.actions())
        if (action->menu())
            addMenu(*action->menu(), plainTitle(action->menu()->title()));
    addTasks();
    addRuns();
    addHeads();
    addTokens();
}

void CommandFinder::add(const QString& title, const QString& group, std::function<void()> act, const QString& keys,
                        bool enabled)
{
    m_entries.append({title, group, keys, static_cast<int>(m_acts.size()), enabled});
    m_acts.push_back(std::move(act));
}

void CommandFinder::addMenu(const QMenu& menu, const QString& path)
{
    Q_EMIT const_cast<QMenu&>(menu).aboutToShow(); // fills menus that are made when they are opened
    for (QAction* action : menu.actions()) {
        if (action->isSeparator() || !action->isVisible())
            continue;
        const QString title = plainTitle(action->text());
        if (action->menu())
            addMenu(*action->menu(), path + QStringLiteral(" › ") + title);
        else
            add(
                title, path,
                [guarded = QPointer<QAction>(action)] {
                    if (guarded)
                        guarded->trigger();
                },
                action->shortcut().toString(QKeySequence::NativeText), action->isEnabled());
    }
}

void CommandFinder::addHeads()
{
    WindowState& state = m_page.explorer()->state();
    for (const Side side : kSides) {
        const auto model = state.side(side).model;
        if (!model)
            continue;
        int count = 0;
        for (const widgets::HeadRow& row : headRows(*model))
            for (int head = 0; head < row.heads && count < kMostFound; ++head, ++count) {
                const interventions::HeadRef ref = headRef(*model, {row.layer, row.kind, head, 1});
                add(QString::fromStdString(headName(*model, ref)), tr("show this head of %1").arg(letterOf(side)),
                    [&state, side, ref] {
                        state.setActiveSide(side);
                        state.setHead(side, ref);
                    });
            }
    }
}

void CommandFinder::addTasks()
{
    Explorer* explorer = m_page.explorer();
    for (const Side side : kSides)
        if (explorer->hasModel(side)) {
            for (const std::string& task : explorer->state().benchmarks(side)) {
                const QString id = QString::fromStdString(task);
                add(taskTitle(id), tr("samples of this task"),
                    [this, id] { Q_EMIT m_page.parts().prompt->sourceChosen(id); });
            }
            return; // both have the tasks of the first
        }
}

void CommandFinder::addRuns()
{
    for (const widgets::RunRow& run : m_page.parts().runs->model()->runs())
        if (!run.onTheWay) {
            add(run.name, tr("restore this run"),
                [this, id = run.id] { Q_EMIT m_page.parts().runs->restoreRequested(id); });
            m_entries.last().changes = true;
        }
}

void CommandFinder::addTokens()
{
    WindowState& state = m_page.explorer()->state();
    const Side side = state.activeSide();
    const auto& shown = state.side(side).pattern;
    if (!shown)
        return;
    QStringList tokens;
    for (const std::string& token : shown->prompt.tokens)
        tokens.append(QString::fromStdString(token));
    for (qsizetype i = 0; i < std::min(kMostTokens, tokens.size()); ++i)
        add(QStringLiteral("“%1” (%2)").arg(widgets::tokenLabelAt(tokens, static_cast<int>(i))).arg(i),
            tr("lock the row of this token"),
            [this, side, i] { Q_EMIT m_page.parts().patterns->view(side)->rowLocked(static_cast<int>(i)); });
}

} // namespace headscope::gui
