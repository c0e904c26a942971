// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The repository's own files, for tests that hold its sources to rules.

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QString>
#include <QStringList>

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

} // namespace headscope::testing
