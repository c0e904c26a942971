// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Does what a change of the settings needs: informs the worker, opens models again, dresses the window. GUI thread.

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
    /// `work`: what the worker was started with; the window's own part is what was remembered.
    SettingsController(const app::Settings& work, app::Door& door, Explorer& explorer, Appearance& appearance,
                       widgets::MessageBar& messages, QWidget* window);

    [[nodiscard]] WindowSettings settings() const;
    /// Remembers the settings and does what their change needs.
    void apply(const WindowSettings& settings);
    /// Scores end where the sign of a change is decided or the change is known to within 5 points; or when all is in.
    void scoreUntilDecided(bool on);
    /// The page, filled with what holds now.
    void open();
    /// Benchmark files are read from here from now on, and when the program starts again.
    void useDataFolder(const QString& folder);
    /// Asks for that folder.
    void chooseDataFolder();
    [[nodiscard]] SettingsDialog* dialog() const { return m_dialog; }

Q_SIGNALS:
    void changed();

private:
    /// `keepTypes`: those that were asked for one model alone.
    void reopenModels(bool keepTypes);

    app::Settings m_work;
    int m_patience; ///< seconds
    bool m_motion;
    QString m_language;
    app::Door& m_door;
    Explorer& m_explorer;
    Appearance& m_appearance;
    widgets::MessageBar& m_messages;
    QWidget* m_window;
    SettingsDialog* m_dialog = nullptr; ///< made when first asked for
};

} // namespace headscope::gui
