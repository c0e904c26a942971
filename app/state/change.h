// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An undo step made of two functions: one makes a change, the other reverts it. GUI thread.

#include <QPointer>
#include <QUndoCommand>

#include <functional>

namespace headscope::gui {

class Change : public QUndoCommand
{
public:
    /// Neither function is called after `owner` has been destroyed.
    Change(QObject* owner, const QString& what, std::function<void()> make, std::function<void()> takeBack);
    void undo() override;
    void redo() override;

private:
    QPointer<QObject> m_owner;
    std::function<void()> m_make, m_takeBack;
};

} // namespace headscope::gui
