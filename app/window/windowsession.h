// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which session the window works in, and how it was arranged there. GUI thread.

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
    /// Continues in this file; empty: what is done is kept nowhere. `restore`: shows what it shows.
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
    QString m_before; ///< the session before it, until this one is open
    bool m_restore = false;
    bool m_reading = false; ///< how the window was arranged is not known yet, and must not be written over
};

} // namespace headscope::gui
