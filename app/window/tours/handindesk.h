// SPDX-License-Identifier: GPL-3.0-or-later
// Hands in the user's answers: a copy of the session without folders, and printable pages beside it. GUI thread.
#pragma once

#include "core/base/result.h"

#include <QObject>
#include <QString>

class QWidget;

namespace headscope::app {
class SessionDoor;
}

namespace headscope::widgets {
class MessageBar;
}

namespace headscope::gui {

class HandInDesk : public QObject
{
    Q_OBJECT

public:
    HandInDesk(app::SessionDoor& door, widgets::MessageBar& messages, QWidget* window);
    /// Asks for the name and for a place. `note`: what else is to be said beside the name; may be empty.
    void ask(const QString& note = {});
    /// `session`: the file to write, "ada.headscope"; the pages are "ada.pdf". Says how it went.
    void handIn(const QString& name, const QString& session);

Q_SIGNALS:
    /// The session is about to be read.
    void begins();
    void handedIn();

private:
    void writeCopy(const QString& pages, const QString& session);
    void showError(const Error& error);

    app::SessionDoor& m_door;
    widgets::MessageBar& m_messages;
    QWidget* m_window;
};

} // namespace headscope::gui
