// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The command-line arguments of the window, read before Qt opens a display, so that wrong arguments or a missing
// display are reported in one sentence. GUI thread.

#include "app/workbench/settings.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace headscope::gui {

struct Arguments {
    QStringList models; ///< none, A, or A and B
    QString session;    ///< empty: the person's own
    QString exam;       ///< file of exercises; empty: none
    QString device;     ///< empty, as the next three: as remembered
    QString dtype;
    std::optional<int> threads;
    QString data;
    QString look;    ///< empty: as remembered
    QString picture; ///< empty: no picture is taken
    QString off;
    QStringList acts;
    QSize size;
};

/// Parses `arguments` (the program's name first); nothing if only help or the version was requested, which is then
/// printed. Fails for unknown options and unusable values.
[[nodiscard]] Result<std::optional<Arguments>> readArguments(const QStringList& arguments);

/// Returns the remembered settings, overridden by the arguments.
[[nodiscard]] Result<app::Settings> settingsOf(const Arguments& arguments, app::Settings remembered);

/// Makes a Qt platform that fails to start end with one sentence and exit code 1 (Qt itself would crash), until the
/// program has started; a picture needs no display.
void expectDisplay(const Arguments& arguments);
void displayIsThere();

} // namespace headscope::gui
