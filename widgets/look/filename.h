// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Names of files made of names that a person or a file gave. Pure function; any thread.

#include <QString>

namespace headscope::widgets {

/// Without a suffix. What is not a letter, digit or one of " _-.,()+" becomes "_", so that it leads to no other folder
/// and every file system takes it; at most 100 characters.
[[nodiscard]] QString fileNameOf(const QString& text);

} // namespace headscope::widgets
