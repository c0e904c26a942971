// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/manual/manualpages.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>

#include <algorithm>

namespace headscope::gui {

namespace {

QString pageTitle(const QString& text)
{
    const QString first = text.section(u'\n', 0, 0);
    return first.startsWith(QLatin1String("# ")) ? first.mid(2).trimmed() : first;
}

} // namespace

QList<ManualPage> manualPages(const QString& folder, const QString& locale)
{
    QDir pages(folder + u'/' + locale.section(u'_', 0, 0));
    if (!pages.exists())
        pages.setPath(folder + QLatin1String("/en"));
    QList<ManualPage> found;
    for (const QFileInfo& file : pages.entryInfoList({QStringLiteral("*.md")}, QDir::Files, QDir::Name)) {
        QFile in(file.absoluteFilePath());
        if (!in.open(QIODevice::ReadOnly))
            continue;
        const QString text = QString::fromUtf8(in.readAll());
        found.append({file.absoluteFilePath(), pageTitle(text), text});
    }
    return found;
}

QHash<QString, QString> glossaryEntries(const QList<ManualPage>& pages)
{
    static const QRegularExpression line(QStringLiteral("^\\*\\*(.+?)\\*\\*: (.+)$"),
                                         QRegularExpression::MultilineOption);
    QHash<QString, QString> entries;
    for (const ManualPage& page : pages)
        if (page.path.endsWith(QLatin1String("/glossary.md")))
            for (const QRegularExpressionMatch& entry : line.globalMatch(page.text))
                entries.insert(entry.captured(1), entry.captured(2).remove(u'`'));
    return entries;
}

bool holds(const ManualPage& page, const QString& search)
{
    const QStringList words = search.split(u' ', Qt::SkipEmptyParts);
    return std::ranges::all_of(words,
                               [&page](const QString& word) { return page.text.contains(word, Qt::CaseInsensitive); });
}

} // namespace headscope::gui
