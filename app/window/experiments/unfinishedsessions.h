// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Sessions in which runs of experiments were asked for on this machine and are not finished. Only these go on by
// themselves when they are opened: a file that comes from elsewhere starts no work. GUI thread.

#include <QString>

namespace headscope::gui {

[[nodiscard]] bool isUnfinished(const QString& session);
void rememberUnfinished(const QString& session, bool unfinished);

} // namespace headscope::gui
