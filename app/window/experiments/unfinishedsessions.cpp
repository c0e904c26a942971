// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiments/unfinishedsessions.h"

#include <QFileInfo>
#include <QSettings>

namespace headscope::gui {

namespace {

constexpr qsizetype kMost = 8;
const QString kKey = QStringLiteral("experiments/unfinished");

QString nameOf(const QString& session)
{
    return QFileInfo(session).absoluteFilePath();
}

} // namespace

bool isUnfinished(const QString& session)
{
    return !session.isEmpty() && QSettings().value(kKey).toStringList().contains(nameOf(session));
}

void rememberUnfinished(const QString& session, bool unfinished)
{
    if (session.isEmpty() || isUnfinished(session) == unfinished)
        return;
    QStringList sessions = QSettings().value(kKey).toStringList();
    if (unfinished)
        sessions.prepend(nameOf(session));
    else
        sessions.removeAll(nameOf(session));
    QSettings().setValue(kKey, sessions.mid(0, kMost));
}

} // namespace headscope::gui
