// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/filename.h"

#include <QRegularExpression>

namespace headscope::widgets {

QString fileNameOf(const QString& text)
{
    constexpr int kLongest = 100;
    static const QRegularExpression kUnfit(QStringLiteral("[^\\w .,()+-]"),
                                           QRegularExpression::UseUnicodePropertiesOption);
    QString name = text.simplified().left(kLongest);
    name.replace(kUnfit, QStringLiteral("_"));
    // A file system counts bytes: 255, with the suffix.
    while (name.toUtf8().size() > 2 * kLongest)
        name.chop(1);
    return name;
}

} // namespace headscope::widgets
