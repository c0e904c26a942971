// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The session of the window, and the arrangement stored in it. GUI thread.

#include <QObject>
#include <QString>

namespace headscope::app {
class SessionDoor;
}

namespace headscope::gui {

class DockLayout;
class Explorer;

class WindowSession : public QObject
{
    Q_OBJECT

public:
    WindowSession(Explorer& explorer, app::SessionDoor& door, DockLayout& layout, QObject* parent);
    [[nodiscard]] const QString& path() const { return m_path; }
    [[nodiscard]] app::SessionDoor& door() { return m_door; }
    /// Stores all work in this file from now on; empty: nowhere. `restore`: restore the view stored in it.
    void use(const QString& path, bool restore = true);
    void keepLayout();

Q_SIGNALS:
    void changed();

private:
    void readLayout();
    void goBack();

    Explorer& m_explorer;
    app::SessionDoor& m_door;
    DockLayout& m_layout;
    QString m_path;
    QString m_before; ///< the previous session, until this one is open
    bool m_restore = false;
    bool m_reading = false; ///< the stored arrangement has not been read yet, and must not be overwritten
};

} // namespace headscope::gui
