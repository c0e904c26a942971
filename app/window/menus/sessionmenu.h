// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The part of the File menu that is about the session: save as, duplicate, merge, export, check, compact. GUI thread.

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

/// What the menu does, without asking for paths; each says in the message bar how it went, when it is done.
class SessionMenu : public QObject
{
    Q_OBJECT

public:
    /// Adds its entries to `menu`.
    SessionMenu(app::SessionDoor& door, widgets::MessageBar& messages, QMenu& menu, QWidget* window);

    /// The copy is the session that the window continues with.
    void saveAs(const QString& path);
    void duplicate(const QString& path);
    /// Fit to be passed on: no folder of this computer is in it.
    void duplicateWithoutPaths(const QString& path);
    void merge(const QString& other);
    /// One of sessions::tableNames(); csv, json, tex or md by the suffix.
    void exportTable(const std::string& table, const QString& path);
    void verify();
    void compact();

Q_SIGNALS:
    void sessionWanted(const QString& path);
    void pageWanted(); ///< of the session that is open

private:
    void addExports(QMenu& menu, QWidget* window);
    /// False, and says so, where none is open.
    [[nodiscard]] bool isOpen();
    /// Where the open session lies.
    [[nodiscard]] QString sessionPath() const;
    void say(const QString& good);
    void sayError(const Error& error);
    /// What is to be done with an answer: an error is reported, a value goes to `then`.
    template <typename T> std::function<void(Result<T>)> answer(std::function<void(const T&)> then);

    app::SessionDoor& m_door;
    widgets::MessageBar& m_messages;
    QAction* m_noPaths = nullptr; ///< of exports
};

} // namespace headscope::gui
