// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One step of the undo stack that is two functions: what a person did, and what takes it back. GUI thread.

#include <QPointer>
#include <QUndoCommand>

#include <functional>

namespace headscope::gui {

class Change : public QUndoCommand
{
public:
    /// Neither is called once `owner` is gone.
    Change(QObject* owner, const QString& what, std::function<void()> make, std::function<void()> takeBack);
    void undo() override;
    void redo() override;

private:
    QPointer<QObject> m_owner;
    std::function<void()> m_make, m_takeBack;
};

} // namespace headscope::gui
