// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Makes file names from names given by users or files. Pure function; any thread.

#include <QString>

namespace headscope::widgets {

/// Returns a file name without suffix. Replaces everything but letters, digits and " _-.,()+" by "_", so that the name
/// stays within its folder and is valid on every file system; at most 100 characters.
[[nodiscard]] QString fileNameOf(const QString& text);

} // namespace headscope::widgets
