// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The sessions that were used last, newest first, remembered from day to day. GUI thread.

#include <QStringList>

namespace headscope::gui {

[[nodiscard]] QStringList recentSessions();
void rememberSession(const QString& path);

} // namespace headscope::gui
