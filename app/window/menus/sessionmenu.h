// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The session part of the File menu: save as, duplicate, merge, export, check, compact. GUI thread.

#include "core/base/result.h"

#include <QObject>

#include <functional>

class QAction;
class QMenu;
class QWidget;

namespace headscope::app {
class SessionDoor;
}

namespace headscope::widgets {
class MessageBar;
}

namespace headscope::gui {

/// The menu's actions without file dialogs; each reports its result in the message bar when it is finished.
class SessionMenu : public QObject
{
    Q_OBJECT

public:
    /// Adds its entries to `menu`.
    SessionMenu(app::SessionDoor& door, widgets::MessageBar& messages, QMenu& menu, QWidget* window);

    /// Saves a copy, which becomes the session of the window.
    void saveAs(const QString& path);
    void duplicate(const QString& path);
    /// Writes a copy that can be passed on: it contains no folder of this computer.
    void duplicateWithoutPaths(const QString& path);
    void merge(const QString& other);
    /// Exports one of sessions::tableNames(); csv, json, tex or md by the suffix.
    void exportTable(const std::string& table, const QString& path);
    void verify();
    void compact();

Q_SIGNALS:
    void sessionWanted(const QString& path);
    void pageWanted(); ///< of the open session

private:
    void addExports(QMenu& menu, QWidget* window);
    /// Returns whether a session is open; reports it if not.
    [[nodiscard]] bool isOpen();
    /// Returns the path of the open session.
    [[nodiscard]] QString sessionPath() const;
    void showInfo(const QString& good);
    void showError(const Error& error);
    /// Returns a handler for an answer: an error is reported, a value passed to `then`.
    template <typename T> std::function<void(Result<T>)> answer(std::function<void(const T&)> then);

    app::SessionDoor& m_door;
    widgets::MessageBar& m_messages;
    QAction* m_noPaths = nullptr; ///< for exports
};

} // namespace headscope::gui
