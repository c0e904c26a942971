// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The part of the File menu that is about the session: save as, duplicate, merge, export, check, compact. GUI thread.

#include "app/gui/explorer.h"

class QMenu;

namespace headscope::gui {

/// What the menu does, without asking for paths; each says in the message bar how it went.
class SessionMenu : public QObject
{
    Q_OBJECT

public:
    /// Adds its entries to `menu`.
    SessionMenu(Explorer& explorer, widgets::MessageBar& messages, QMenu& menu, QWidget* window);

    /// The copy is the session that the window goes on with.
    void saveAs(const QString& path);
    void duplicate(const QString& path);
    void merge(const QString& other);
    /// One of sessions::tableNames(); csv, json, tex or md by the suffix.
    void exportTable(const std::string& table, const QString& path);
    void verify();
    void compact();

Q_SIGNALS:
    void sessionWanted(const QString& path);

private:
    [[nodiscard]] sessions::SessionStore* session();
    void say(const Result<void>& done, const QString& good);

    Explorer& m_explorer;
    widgets::MessageBar& m_messages;
};

} // namespace headscope::gui
