// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stroke icons (Lucide) in the text colour of the palette, at any size and scale. GUI thread.

#include <QIcon>

namespace headscope::widgets {

/// Returns an icon. `name`: a file in resources/icons/lucide, without ".svg". Follows changes of the palette.
[[nodiscard]] QIcon icon(QStringView name);

} // namespace headscope::widgets
