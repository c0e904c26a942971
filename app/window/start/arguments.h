// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the window was called with. Read before Qt opens a display, so that a wrong call or a machine without a display
// is reported in a sentence. GUI thread.

#include "app/workbench/settings.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace headscope::gui {

struct Arguments {
    QStringList models; ///< none, A, or A and B
    QString session;    ///< empty: the person's own
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

/// What `arguments` (the program's name first) say; nothing where only help or the version was wanted, which is
/// printed. Fails with a sentence on unknown options and on values that nothing can be done with.
[[nodiscard]] Result<std::optional<Arguments>> readArguments(const QStringList& arguments);

/// What the work is done with: what was remembered, and before it what was said.
[[nodiscard]] Result<app::Settings> settingsOf(const Arguments& arguments, app::Settings remembered);

/// Makes a platform of Qt that cannot start one sentence and exit code 1 (Qt itself ends with a crash), until the
/// program has started; a picture needs no display.
void expectDisplay(const Arguments& arguments);
void displayIsThere();

} // namespace headscope::gui
