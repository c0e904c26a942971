// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The repository's own files, for tests that hold its sources to rules.

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QString>
#include <QStringList>

#include <algorithm>

namespace headscope::testing {

/// Texts of files by path from the root of the repository.
using SourceTree = QMap<QString, QString>;

/// All files of those names ("*.h") in those folders of the root and below.
inline SourceTree readTree(const QStringList& folders, const QStringList& names)
{
    const QDir root(QStringLiteral(HEADSCOPE_SOURCE_DIR));
    SourceTree tree;
    for (const QString& folder : folders) {
        QDirIterator files(root.filePath(folder), names, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            if (!file.open(QIODevice::ReadOnly))
                qFatal("%s cannot be read", qPrintable(file.fileName()));
            tree.insert(root.relativeFilePath(file.fileName()), QString::fromUtf8(file.readAll()));
        }
    }
    return tree;
}

/// Returns the sources of each library declared in the tree's CMake files: all files in its rooms, by default the whole
/// folder.
inline QMap<QString, QStringList> librariesOf(const SourceTree& tree)
{
    static const QRegularExpression comment(QStringLiteral("#[^\n]*")),
        call(QStringLiteral("headscope_library\\((\\w+)([^)]*)\\)"));
    QMap<QString, QStringList> libraries;
    for (auto file = tree.begin(); file != tree.end(); ++file) {
        if (!file.key().endsWith(QLatin1String("/CMakeLists.txt")))
            continue;
        const QString folder = file.key().left(file.key().lastIndexOf(u'/') + 1);
        for (auto found = call.globalMatch(QString(*file).remove(comment)); found.hasNext();) {
            const QRegularExpressionMatch library = found.next();
            QMap<QString, QStringList> given; // by keyword
            QString keyword;
            for (const QString& word : library.captured(2).simplified().split(u' ', Qt::SkipEmptyParts))
                if (word == word.toUpper())
                    keyword = word;
                else
                    given[keyword].append(word);
            const auto below = [](const QStringList& places, const QString& path, QLatin1String end) {
                return std::ranges::any_of(places, [&](const QString& place) { return path.startsWith(place + end); });
            };
            for (auto source = tree.begin(); source != tree.end(); ++source) {
                if (!source.key().endsWith(QLatin1String(".cpp")) || !source.key().startsWith(folder))
                    continue;
                const QString path = source.key().mid(folder.size());
                const bool inRooms = !given.contains(QStringLiteral("ROOMS"))
                                     || below(given[QStringLiteral("ROOMS")], path, QLatin1String("/"));
                if (given[QStringLiteral("SOURCES")].contains(path)
                    || (inRooms && !below(given[QStringLiteral("EXCEPT")], path, QLatin1String(""))))
                    libraries[library.captured(1)].append(source.key());
            }
        }
    }
    return libraries;
}

} // namespace headscope::testing
