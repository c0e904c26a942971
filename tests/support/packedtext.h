// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text stored in tests/data as qCompress() packs it.

#include <QByteArray>
#include <QFile>

#include <filesystem>

namespace headscope::testing {

/// Empty where the file cannot be read.
inline QByteArray packedText(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? qUncompress(file.readAll()) : QByteArray();
}

} // namespace headscope::testing
