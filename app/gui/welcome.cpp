// SPDX-License-Identifier: GPL-3.0-or-later
// The other half of MainWindow: the welcome page, and what it knows about models and sessions on this machine.
#include "app/gui/mainwindow.h"

#include "core/io/modelfolder.h"
#include "core/lm/config.h"
#include "core/lm/familykind.h"

#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QSettings>

#include <algorithm>

namespace headscope::gui {

using widgets::Choice;

namespace {

constexpr qsizetype kRecent = 8;

QString recentKey()
{
    return QStringLiteral("sessions/recent");
}

QString kindText(lm::FamilyKind kind)
{
    return kind == lm::FamilyKind::Ssm      ? MainWindow::tr("SSM")
           : kind == lm::FamilyKind::Hybrid ? MainWindow::tr("Hybrid")
                                            : MainWindow::tr("Transformer");
}

/// "Transformer · llama · 4 layers · 3.0 MB", from the files, without opening the model.
QString modelDetail(const io::ModelFolder& folder)
{
    QStringList parts;
    if (const auto config = lm::Config::load(folder.path); config.has_value()) {
        if (const auto family = config->family(); family.has_value()) {
            if (const auto kind = lm::familyKind(*family))
                parts << kindText(*kind);
            parts << QString::fromStdString(*family);
        }
        for (const char* place : {"/num_hidden_layers", "/n_layer", "/num_layers", "/MixerModel/input/n_layer"})
            if (const nlohmann::json::json_pointer at(place);
                config->json().contains(at) && config->json()[at].is_number_integer()) {
                parts << MainWindow::tr("%1 layers").arg(config->json()[at].get<int>());
                break;
            }
    }
    const QDir dir(QString::fromStdString(folder.path.string()));
    qint64 bytes = 0;
    for (const QFileInfo& weights :
         dir.entryInfoList({QStringLiteral("*.safetensors"), QStringLiteral("*.bin")}, QDir::Files))
        bytes += QFileInfo(weights.canonicalFilePath()).size();
    if (bytes > 0)
        parts << QLocale().formattedDataSize(bytes, 1, QLocale::DataSizeSIFormat);
    else if (folder.origin != io::ModelOrigin::Folder)
        parts << MainWindow::tr("no weights, tokenizer only");
    return parts.join(QStringLiteral(" · "));
}

Choice choiceOf(const io::ModelFolder& folder)
{
    const QString name = QString::fromStdString(folder.name);
    return {name, name, modelDetail(folder)};
}

} // namespace

void MainWindow::rememberSession(const QString& path)
{
    QSettings settings;
    QStringList recent = settings.value(recentKey()).toStringList();
    const QString whole = QFileInfo(path).absoluteFilePath();
    recent.removeAll(whole);
    recent.prepend(whole);
    settings.setValue(recentKey(), recent.mid(0, kRecent));
}

void MainWindow::fillWelcome()
{
    const auto places = io::ModelPlaces::fromEnvironment(m_options.backend.resources / "models");
    QList<Choice> shipped, cached, sessions;
    for (const auto& folder : io::shippedModels(places))
        shipped.append(choiceOf(folder));
    // The one that the others are compared with comes first.
    std::stable_partition(shipped.begin(), shipped.end(),
                          [](const Choice& choice) { return choice.id.endsWith(QLatin1String("transformer")); });
    for (const auto& folder : io::cachedModels(places))
        cached.append(choiceOf(folder));
    m_explorer->setModelChoices(shipped + cached);
    for (const std::string& name : io::unfinishedModels(places))
        cached.append({QString(), QString::fromStdString(name), tr("unfinished download; run the download again")});
    for (const QString& path : QSettings().value(recentKey()).toStringList())
        if (const QFileInfo file(path); file.exists())
            sessions.append({path,
                             file.completeBaseName() == QLatin1String("current") ? tr("Where you left off")
                                                                                 : file.completeBaseName(),
                             QLocale().toString(file.lastModified(), QLocale::ShortFormat) + QStringLiteral(" · ")
                                 + QDir::toNativeSeparators(path)});
    auto* page = m_parts.welcome;
    page->setShippedModels(shipped);
    page->setCachedModels(cached, places.hubCache.empty()
                                      ? QString()
                                      : QDir::toNativeSeparators(QString::fromStdString(places.hubCache.string())));
    page->setRecentSessions(sessions);
    page->setTours(m_guide->choices());
    const auto has = [&](const char* name) {
        return std::any_of(shipped.begin(), shipped.end(),
                           [&](const Choice& choice) { return choice.id == QLatin1String(name); });
    };
    page->setCompareProblem(!has("tiny-transformer") ? tr("The shipped models are missing from this installation.")
                            : !has("tiny-ssm")
                                ? tr("The shipped SSM is not in this installation; open any model as B instead.")
                                : QString());
}

void MainWindow::buildWelcome()
{
    auto* page = m_parts.welcome;
    connect(page, &widgets::WelcomePage::compareRequested, this,
            [this] { openModels(QStringLiteral("tiny-transformer"), QStringLiteral("tiny-ssm")); });
    connect(page, &widgets::WelcomePage::modelChosen, this, [this](const QString& id) { openModels(id); });
    connect(page, &widgets::WelcomePage::sessionChosen, this, &MainWindow::openPath);
    connect(page, &widgets::WelcomePage::tourChosen, m_guide, &TourGuide::open);
    connect(page, &widgets::WelcomePage::openFolderRequested, this, [this] { openFolder(Side::A); });
    connect(page, &widgets::WelcomePage::openSessionRequested, this, [this] {
        const QString path =
            QFileDialog::getOpenFileName(this, tr("Open a session"), {}, tr("Headscope sessions (*.headscope)"));
        if (!path.isEmpty())
            openPath(path);
    });
    connect(page, &widgets::WelcomePage::pathsDropped, this, &MainWindow::openPaths);
    fillWelcome();
}

void MainWindow::openFolder(Side side)
{
    const QString folder = QFileDialog::getExistingDirectory(this, side == Side::A ? tr("Open a model folder")
                                                                                   : tr("Open a model folder as B"));
    if (!folder.isEmpty())
        m_explorer->openModel(side, folder);
}

void MainWindow::openPaths(const QStringList& paths)
{
    // Two folders at once are two models to compare.
    QStringList folders;
    for (const QString& path : paths)
        if (QFileInfo(path).isDir())
            folders.append(path);
        else
            openPath(path);
    if (!folders.isEmpty())
        openModels(folders.at(0), folders.value(1));
}

} // namespace headscope::gui
