// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The numbers of a picture as a file. Any thread.

#include "core/base/result.h"
#include "widgets/why/views/numbertable.h"

namespace headscope::gui {

/// By the path's ending: .csv with every digit, .npz with the numbers as the array `values` (texts are left out), .tex
/// as a tabular with three digits (booktabs).
[[nodiscard]] Result<void> writeNumbers(const widgets::Numbers& numbers, const QString& path);

} // namespace headscope::gui
