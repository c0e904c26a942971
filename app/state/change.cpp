// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/state/change.h"

#include <utility>

namespace headscope::gui {

Change::Change(QObject* owner, const QString& what, std::function<void()> make, std::function<void()> takeBack)
    : QUndoCommand(what), m_owner(owner), m_make(std::move(make)), m_takeBack(std::move(takeBack))
{
}

void Change::undo()
{
    if (m_owner)
        m_takeBack();
}

void Change::redo()
{
    if (m_owner)
        m_make();
}

} // namespace headscope::gui
