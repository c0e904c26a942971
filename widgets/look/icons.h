// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stroke icons (Lucide) in the ink of the palette, at any size and scale. GUI thread.

#include <QIcon>

namespace headscope::widgets {

/// `name`: of a file in resources/icons/lucide, without ".svg". Follows the look of the program when that changes.
[[nodiscard]] QIcon icon(QStringView name);

} // namespace headscope::widgets
