// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The language of the window. GUI thread.

#include <QLocale>

namespace headscope::gui {

/// Speaks the language of `locale` from now on, English where there is no translation. Called before the first window.
void installTranslation(const QLocale& locale);

} // namespace headscope::gui
