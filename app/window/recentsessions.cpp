// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/recentsessions.h"

#include <QFileInfo>
#include <QSettings>

namespace headscope::gui {

namespace {

constexpr qsizetype kMost = 8;

QString key()
{
    return QStringLiteral("sessions/recent");
}

} // namespace

QStringList recentSessions()
{
    return QSettings().value(key()).toStringList();
}

void rememberSession(const QString& path)
{
    QStringList recent = recentSessions();
    const QString whole = QFileInfo(path).absoluteFilePath();
    recent.removeAll(whole);
    recent.prepend(whole);
    QSettings().setValue(key(), recent.mid(0, kMost));
}

} // namespace headscope::gui
