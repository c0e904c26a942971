// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Sessions with unfinished runs of experiments that were requested on this machine. Only these resume automatically
// when they are opened: a file from elsewhere starts no work. GUI thread.

#include <QString>

namespace headscope::gui {

[[nodiscard]] bool isUnfinished(const QString& session);
void rememberUnfinished(const QString& session, bool unfinished);

} // namespace headscope::gui
