// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Adds one line to a menu: title, shortcut, action and icon. GUI thread.

#include "widgets/look/icons.h"

#include <QAction>
#include <QKeySequence>
#include <QMenu>

namespace headscope::gui {

/// Calls `act` while `context` lives. `iconName`: as in icon(); empty: none.
template <typename Act>
QAction* addEntry(QMenu& menu, QObject* context, const QString& title, const QKeySequence& keys, Act act,
                  QStringView iconName = {})
{
    QAction* action = menu.addAction(title);
    action->setShortcut(keys);
    if (!iconName.isEmpty())
        action->setIcon(widgets::icon(iconName));
    QObject::connect(action, &QAction::triggered, context, [act](bool) { act(); });
    return action;
}

} // namespace headscope::gui
