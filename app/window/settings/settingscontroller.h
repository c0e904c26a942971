// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Applies changes of the settings: informs the worker, reopens models, updates the window. GUI thread.

#include "app/window/settings/windowsettings.h"

#include <QObject>

namespace headscope::widgets {
class MessageBar;
}

namespace headscope::app {
class Door;
}

namespace headscope::gui {

class Explorer;
class SettingsDialog;

class SettingsController : public QObject
{
    Q_OBJECT

public:
    /// `work`: the worker's initial settings; the window's own settings are the remembered ones.
    SettingsController(const app::Settings& work, app::Door& door, Explorer& explorer, Appearance& appearance,
                       widgets::MessageBar& messages, QWidget* window);

    [[nodiscard]] WindowSettings settings() const;
    /// Remembers the settings and applies them.
    void apply(const WindowSettings& settings);
    /// Ends scoring once the sign of a change is decided or the change is known to within 5 points; off: at all rows.
    void scoreUntilDecided(bool on);
    /// Opens the page with the current settings.
    void open();
    /// Reads benchmark files from this folder from now on, and after a restart.
    void useDataFolder(const QString& folder);
    /// Lets the user choose that folder.
    void chooseDataFolder();
    [[nodiscard]] SettingsDialog* dialog() const { return m_dialog; }

Q_SIGNALS:
    void changed();

private:
    /// `keepTypes`: keep dtypes that were requested for one model only.
    void reopenModels(bool keepTypes);

    app::Settings m_work;
    int m_patience; ///< seconds
    bool m_motion, m_clickLooks;
    QString m_language;
    app::Door& m_door;
    Explorer& m_explorer;
    Appearance& m_appearance;
    widgets::MessageBar& m_messages;
    QWidget* m_window;
    SettingsDialog* m_dialog = nullptr; ///< created on first use
};

} // namespace headscope::gui
