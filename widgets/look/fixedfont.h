// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The letters of prompts, which are as wide as each other. GUI thread.

#include <QFontDatabase>

namespace headscope::widgets {

/// `font` in the system's monospaced family; everything else, its size above all, stays.
[[nodiscard]] inline QFont fixedFont(QFont font = {})
{
    font.setFamilies(QFontDatabase::systemFont(QFontDatabase::FixedFont).families());
    font.setStyleHint(QFont::Monospace);
    return font;
}

} // namespace headscope::widgets
