// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The settings page: how models run, how results are measured, how the window looks. Says what a change does before it
// is made. GUI thread.

#include "app/window/settings/windowsettings.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace headscope::gui {

class SettingsDialog : public QDialog
{
    Q_OBJECT

public:
    explicit SettingsDialog(QWidget* parent = nullptr);

    /// Shows these as what holds now.
    void setSettings(const WindowSettings& settings);
    /// What the fields say, or why nothing can be made of it.
    [[nodiscard]] Result<WindowSettings> settings() const;
    /// What the page says about the change, or what is wrong with it.
    [[nodiscard]] QString note() const;

Q_SIGNALS:
    /// Apply or OK, with settings that are good and differ from those that hold.
    void applied(const headscope::gui::WindowSettings& settings);

private:
    [[nodiscard]] QWidget* modelsGroup();
    [[nodiscard]] QWidget* measuringGroup();
    [[nodiscard]] QWidget* windowGroup();
    void fill(const WindowSettings& settings);
    void addFolder(QFormLayout& form, const QString& title, QLineEdit* line, const QString& hint);
    void addStop(QFormLayout& form);
    void watch();
    void refresh();
    void apply();

    WindowSettings m_now;
    QComboBox *m_device, *m_dtype, *m_startToken, *m_boundary, *m_look, *m_language;
    QCheckBox* m_motion;
    QSpinBox *m_threads, *m_keptPacked, *m_textScale, *m_patience, *m_examples;
    QDoubleSpinBox *m_stopWidth, *m_stopLevel;
    QLineEdit *m_memory, *m_order, *m_seed, *m_data, *m_words;
    QLabel* m_note;
    QDialogButtonBox* m_buttons;
};

} // namespace headscope::gui
