// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The settings page: running models, measuring results, appearance of the window. Explains the effect of a change
// before it is made. GUI thread.

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

    /// Shows these settings as the current ones.
    void setSettings(const WindowSettings& settings);
    /// Returns the settings in the fields, or why they are invalid.
    [[nodiscard]] Result<WindowSettings> settings() const;
    /// Returns the explanation of the change, or the problem with it.
    [[nodiscard]] QString note() const;

Q_SIGNALS:
    /// Apply or OK was pressed, with valid settings that differ from the current ones.
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
    QCheckBox *m_motion, *m_clickLooks;
    QSpinBox *m_threads, *m_keptPacked, *m_textScale, *m_patience, *m_examples;
    QDoubleSpinBox *m_stopWidth, *m_stopLevel;
    QLineEdit *m_memory, *m_order, *m_seed, *m_data, *m_words;
    QLabel* m_note;
    QDialogButtonBox* m_buttons;
};

} // namespace headscope::gui
