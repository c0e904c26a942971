// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The language of the window. GUI thread.

#include <QLocale>

namespace headscope::gui {

/// Uses the language of `locale` from now on, English if there is no translation; numbers of C keep their point. Call
/// before the first window.
void installTranslation(const QLocale& locale);

} // namespace headscope::gui
