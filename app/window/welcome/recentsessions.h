// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The most recently used sessions, newest first, remembered across starts with a small picture of the window. GUI
// thread.

#include <QPixmap>
#include <QStringList>

namespace headscope::gui {

[[nodiscard]] QStringList recentSessions();
void rememberSession(const QString& path);
/// Returns a picture of the window when this session was last used; null: there is none.
[[nodiscard]] QPixmap sessionPicture(const QString& path);
/// Stores a picture, and removes those of sessions that are no longer remembered.
void keepSessionPicture(const QString& path, const QPixmap& window);

} // namespace headscope::gui
