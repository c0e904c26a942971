// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/recentsessions.h"

#include <QFileInfo>
#include <QSettings>

namespace headscope::gui {

namespace {

constexpr qsizetype kMostRecent = 8;

QString recentKey()
{
    return QStringLiteral("sessions/recent");
}

} // namespace

QStringList recentSessions()
{
    return QSettings().value(recentKey()).toStringList();
}

void rememberSession(const QString& path)
{
    QStringList recent = recentSessions();
    const QString whole = QFileInfo(path).absoluteFilePath();
    recent.removeAll(whole);
    recent.prepend(whole);
    QSettings().setValue(recentKey(), recent.mid(0, kMostRecent));
}

} // namespace headscope::gui
