// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One line of a menu: title, keys, and what it does. GUI thread.

#include <QAction>
#include <QKeySequence>
#include <QMenu>

namespace headscope::gui {

/// `act` is called while `context` lives.
template <typename Act>
QAction* addEntry(QMenu& menu, QObject* context, const QString& title, const QKeySequence& keys, Act act)
{
    QAction* action = menu.addAction(title);
    action->setShortcut(keys);
    QObject::connect(action, &QAction::triggered, context, [act](bool) { act(); });
    return action;
}

} // namespace headscope::gui
