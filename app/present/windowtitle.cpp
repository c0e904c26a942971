// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/windowtitle.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>

namespace headscope::gui {

namespace {

struct TitleText {
    Q_DECLARE_TR_FUNCTIONS(TitleText)
};

} // namespace

QString windowTitle(const QString& session, const QString& a, const QString& b)
{
    QStringList models;
    if (!a.isEmpty())
        models << TitleText::tr("A %1").arg(a);
    if (!b.isEmpty())
        models << TitleText::tr("B %1").arg(b);
    QStringList parts{models.join(QStringLiteral(", ")), QFileInfo(session).completeBaseName(),
                      QStringLiteral("Headscope")};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" — "));
}

} // namespace headscope::gui
