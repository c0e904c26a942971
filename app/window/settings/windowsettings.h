// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Everything that the settings page sets, as one value, remembered from day to day. GUI thread.

#include "app/window/appearance.h"
#include "app/workbench/settings.h"

#include <QLocale>
#include <QString>

namespace headscope::gui {

struct WindowSettings {
    static constexpr int kPatience = 10, kLongestPatience = 3600; ///< seconds
    app::Settings work;                                           ///< how models run and results are measured
    int patience = kPatience; ///< seconds that the scores of a click take before they go on only while nothing is asked
    Appearance::Look look = Appearance::Look::System;
    double textScale = 1; ///< of the system's size
    bool motion = true;   ///< what a click changes fades in
    QString language;     ///< "de", "en"; empty: the system's

    bool operator==(const WindowSettings&) const = default;
};

/// What was remembered. A value that is none, such as a device of another version, gives way to its default.
[[nodiscard]] WindowSettings rememberedSettings();
void remember(const WindowSettings& settings);

/// Of dates and words; numbers have a decimal point in every language, as in the files, the axes and the field's
/// papers.
[[nodiscard]] QLocale localeOf(const QString& language);

/// What happens when `before` becomes `after`, in a sentence a person reads first; empty: nothing.
[[nodiscard]] QString consequence(const WindowSettings& before, const WindowSettings& after);

} // namespace headscope::gui
