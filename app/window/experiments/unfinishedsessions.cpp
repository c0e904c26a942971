// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiments/unfinishedsessions.h"

#include <QFileInfo>
#include <QSettings>

namespace headscope::gui {

namespace {

constexpr qsizetype kMostUnfinished = 8;
const QString kUnfinishedKey = QStringLiteral("experiments/unfinished");

QString absoluteName(const QString& session)
{
    return QFileInfo(session).absoluteFilePath();
}

} // namespace

bool isUnfinished(const QString& session)
{
    return !session.isEmpty() && QSettings().value(kUnfinishedKey).toStringList().contains(absoluteName(session));
}

void rememberUnfinished(const QString& session, bool unfinished)
{
    if (session.isEmpty() || isUnfinished(session) == unfinished)
        return;
    QStringList sessions = QSettings().value(kUnfinishedKey).toStringList();
    if (unfinished)
        sessions.prepend(absoluteName(session));
    else
        sessions.removeAll(absoluteName(session));
    QSettings().setValue(kUnfinishedKey, sessions.mid(0, kMostUnfinished));
}

} // namespace headscope::gui
