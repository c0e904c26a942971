// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The sessions that were used last, newest first, remembered from day to day with a small picture of the window. GUI
// thread.

#include <QPixmap>
#include <QStringList>

namespace headscope::gui {

[[nodiscard]] QStringList recentSessions();
void rememberSession(const QString& path);
/// The window as it was left with this session; null: it was not seen with it.
[[nodiscard]] QPixmap sessionPicture(const QString& path);
/// Pictures of sessions that are not remembered any more go.
void keepSessionPicture(const QString& path, const QPixmap& window);

} // namespace headscope::gui
