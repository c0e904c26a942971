// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All settings of the settings page as one value, remembered across starts. GUI thread.

#include "app/window/appearance.h"
#include "app/workbench/settings.h"

#include <QLocale>
#include <QString>

namespace headscope::gui {

struct WindowSettings {
    static constexpr int kPatience = 10, kLongestPatience = 3600; ///< seconds
    app::Settings work;                                           ///< for running models and measuring results
    int patience = kPatience; ///< seconds after which the scores of a click continue only while the worker is idle
    Appearance::Look look = Appearance::Look::System;
    double textScale = 1;    ///< relative to the system's size
    bool motion = true;      ///< changes fade in
    bool clickLooks = false; ///< a click on a head only shows it, Ctrl+click ablates it
    QString language;        ///< "de", "en"; empty: the system's

    bool operator==(const WindowSettings&) const = default;
};

/// Returns the remembered settings. Defaults replace invalid values, such as a device of another version.
[[nodiscard]] WindowSettings rememberedSettings();
void remember(const WindowSettings& settings);
/// What an exam keeps of them: the machine, and how the window looks. What decides scores is the same for everybody.
[[nodiscard]] WindowSettings examSettings(const WindowSettings& settings);

/// Returns the locale for dates and texts; numbers have a decimal point in every language, as in files, axes and papers
/// of the field.
[[nodiscard]] QLocale localeOf(const QString& language);

/// Returns the effect of changing `before` to `after` in one sentence for the user; empty: none.
[[nodiscard]] QString consequence(const WindowSettings& before, const WindowSettings& after);

} // namespace headscope::gui
