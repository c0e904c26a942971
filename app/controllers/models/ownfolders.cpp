// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/models/ownfolders.h"

#include "core/io/modelfolder.h"
#include "core/io/resources.h"

#include <QDir>
#include <QSettings>
#include <QStringList>

#include <algorithm>

namespace headscope::gui {

namespace {

constexpr qsizetype kMostFolders = 500;
constexpr auto kOpened = "models/opened";

// "/a/../b" is "/b": what the text says, without a look at the disk.
QString cleaned(const QString& folder)
{
    return QDir::cleanPath(QDir::fromNativeSeparators(folder));
}

bool liesIn(const QString& folder, const std::filesystem::path& place)
{
    return !place.empty() && folder.startsWith(cleaned(QString::fromStdString(place.string())) + QLatin1Char('/'));
}

} // namespace

bool isOwnModel(const QString& model)
{
    const QString folder = cleaned(model);
    if (QDir::isRelativePath(folder))
        return !folder.startsWith(QLatin1String("..")) && !model.startsWith(QLatin1Char('.'));
    const auto places = io::ModelPlaces::fromEnvironment(io::resourcesFolder() / "models");
    return liesIn(folder, places.hubCache) || liesIn(folder, places.shippedFolder)
           || std::ranges::any_of(places.ownFolders, [&](const auto& own) { return liesIn(folder, own); })
           || QSettings().value(QLatin1String(kOpened)).toStringList().contains(folder);
}

void rememberOwnModel(const QString& folder)
{
    QSettings settings;
    QStringList opened = settings.value(QLatin1String(kOpened)).toStringList();
    const QString own = cleaned(folder);
    opened.removeAll(own);
    opened.prepend(own);
    settings.setValue(QLatin1String(kOpened), opened.mid(0, kMostFolders));
}

} // namespace headscope::gui
