// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The monospaced font of prompts. GUI thread.

#include <QFontDatabase>

namespace headscope::widgets {

/// Returns `font` in the system's monospaced family; its size and all other properties are kept.
[[nodiscard]] inline QFont fixedFont(QFont font = {})
{
    font.setFamilies(QFontDatabase::systemFont(QFontDatabase::FixedFont).families());
    font.setStyleHint(QFont::Monospace);
    return font;
}

} // namespace headscope::widgets
