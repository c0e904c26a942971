// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/welcome/recentsessions.h"

#include "core/base/writefile.h"

#include <QBuffer>
#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QImageWriter>
#include <QSettings>
#include <QStandardPaths>

namespace headscope::gui {

namespace {

constexpr qsizetype kMostRecent = 8;

QString recentKey()
{
    return QStringLiteral("sessions/recent");
}

constexpr QSize kSessionPicture(288, 180);

QDir pictureFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/pictures");
}

QString pictureName(const QString& session)
{
    const QByteArray whole = QFileInfo(session).absoluteFilePath().toUtf8();
    return QString::fromLatin1(QCryptographicHash::hash(whole, QCryptographicHash::Sha256).toHex().left(32))
           + QStringLiteral(".png");
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

QPixmap sessionPicture(const QString& path)
{
    return QPixmap(pictureFolder().filePath(pictureName(path)));
}

void keepSessionPicture(const QString& path, const QPixmap& window)
{
    QDir folder = pictureFolder();
    if (window.isNull() || !folder.mkpath(QStringLiteral(".")))
        return;
    const QPixmap small = window.scaled(kSessionPicture, Qt::KeepAspectRatioByExpanding, Qt::SmoothTransformation)
                              .copy(QRect({}, kSessionPicture));
    QBuffer png;
    const QImage picture = small.toImage();
    QImageWriter(&png, "png").write(picture);
    // Private as the session is; without it a card has no picture.
    static_cast<void>(writeFile(folder.filePath(pictureName(path)).toStdString(),
                                std::string_view(png.data().constData(), static_cast<std::size_t>(png.size())),
                                FileAccess::Private));
    QStringList wanted;
    for (const QString& session : recentSessions())
        wanted.append(pictureName(session));
    for (const QString& name : folder.entryList({QStringLiteral("*.png")}, QDir::Files))
        if (!wanted.contains(name))
            folder.remove(name);
}

} // namespace headscope::gui
