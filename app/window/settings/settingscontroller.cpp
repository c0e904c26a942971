// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settings/settingscontroller.h"

#include "app/window/explorer.h"
#include "app/window/settings/settingsdialog.h"
#include "widgets/frame/messagebar.h"
#include "widgets/look/fade.h"

#include <QDir>
#include <QFileDialog>

namespace headscope::gui {

using widgets::MessageBar;

SettingsController::SettingsController(const app::Settings& work, app::Door& door, Explorer& explorer,
                                       Appearance& appearance, MessageBar& messages, QWidget* window)
    : QObject(window), m_work(work), m_patience(rememberedSettings().patience), m_motion(rememberedSettings().motion),
      m_clickLooks(rememberedSettings().clickLooks), m_language(rememberedSettings().language), m_door(door),
      m_explorer(explorer), m_appearance(appearance), m_messages(messages), m_window(window)
{
    m_door.setPatience(std::chrono::seconds(m_patience));
}

WindowSettings SettingsController::settings() const
{
    return {.work = m_work,
            .patience = m_patience,
            .look = m_appearance.look(),
            .textScale = m_appearance.textScale(),
            .motion = m_motion,
            .clickLooks = m_clickLooks,
            .language = m_language};
}

void SettingsController::apply(const WindowSettings& settings)
{
    const WindowSettings before = this->settings();
    const app::Settings work = std::exchange(m_work, settings.work);
    m_language = settings.language;
    m_motion = settings.motion;
    m_clickLooks = settings.clickLooks;
    widgets::Fade::setMotion(m_motion);
    m_patience = settings.patience;
    m_door.setPatience(std::chrono::seconds(m_patience));
    remember(settings);
    m_appearance.setLook(settings.look);
    m_appearance.setTextScale(settings.textScale);
    Q_EMIT changed();
    if (const QString said = consequence(before, settings); !said.isEmpty())
        m_messages.showMessage(MessageBar::Kind::Info, said);
    if (work == settings.work)
        return;
    m_door.setSettings(settings.work);
    if (app::reopensModels(work, settings.work))
        return reopenModels(work.dtype == settings.work.dtype);
    m_explorer.scoreAgain();
    if (work.startToken != settings.work.startToken)
        m_explorer.state().rereadPrompt();
}

// Both are let go first: a model on two sides is loaded once, and the first to be opened must not find the other's.
void SettingsController::reopenModels(bool keepTypes)
{
    const auto isHere = [this](Side side) { return m_explorer.model(side) && !m_explorer.model(side)->stored; };
    for (const Side side : {Side::A, Side::B})
        if (isHere(side))
            m_door.closeModel(side);
    for (const Side side : {Side::A, Side::B})
        if (isHere(side))
            m_explorer.controllers().models.open(side, QString::fromStdString(m_explorer.model(side)->path),
                                                 keepTypes ? QString::fromStdString(m_explorer.model(side)->wantedType)
                                                           : QString());
}

void SettingsController::scoreUntilDecided(bool on)
{
    constexpr double kNarrow = 0.1; // ± 5 points
    WindowSettings changed = settings();
    changed.work.stopWidth = on ? kNarrow : 0;
    apply(changed);
}

void SettingsController::open()
{
    if (!m_dialog) {
        m_dialog = new SettingsDialog(m_window);
        connect(m_dialog, &SettingsDialog::applied, this, &SettingsController::apply);
    }
    m_dialog->setSettings(settings());
    m_dialog->show();
    m_dialog->raise();
}

void SettingsController::useDataFolder(const QString& folder)
{
    WindowSettings changed = settings();
    changed.work.dataFolder = folder.toStdString();
    if (changed.work == m_work) { // files in it are new
        m_door.setSettings(m_work);
        m_explorer.scoreAgain();
    } else {
        apply(changed);
    }
    m_messages.showMessage(MessageBar::Kind::Info,
                           tr("Benchmarks are read from %1.").arg(QDir::toNativeSeparators(folder)));
}

void SettingsController::chooseDataFolder()
{
    const QString now = QString::fromStdString(m_work.dataFolder.string());
    const QString folder =
        QFileDialog::getExistingDirectory(m_window, tr("Folder of the benchmark files (mmlu, piqa, …)"), now);
    if (!folder.isEmpty())
        useDataFolder(folder);
}

} // namespace headscope::gui
