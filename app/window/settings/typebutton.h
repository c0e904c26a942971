// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// In which type the active model runs, at the end of the bottom line: a click opens it in the other one, the arrow
// names all. GUI thread.

#include <QToolButton>

namespace headscope::gui {

class SettingsController;
class WindowState;

class TypeButton : public QToolButton
{
    Q_OBJECT

public:
    TypeButton(WindowState& state, SettingsController& settings, QWidget* parent);

private:
    void refresh();

    WindowState& m_state;
    SettingsController& m_settings;
    QString m_other; ///< what a click changes to
};

} // namespace headscope::gui
