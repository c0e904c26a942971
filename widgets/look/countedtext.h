// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Numbers of things in the window's sentences, in the language of both texts. Any thread.

#include <QString>

namespace headscope::widgets {

/// Returns `one` for 1, otherwise `many` with the number in place of its %L1: tr("1 head"), tr("%L1 heads").
[[nodiscard]] inline QString counted(qlonglong count, const QString& one, const QString& many)
{
    return count == 1 ? one : many.arg(count);
}

} // namespace headscope::widgets
