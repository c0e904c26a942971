// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Verdicts in the words of the window. Pure functions; any thread.

#include "core/experiments/evidence/verdict.h"

#include <QString>

namespace headscope::gui {

/// Returns "appears", "appears in part", "does not appear", "inconclusive".
[[nodiscard]] QString verdictText(experiments::Verdict verdict);

/// Returns a character for each, shown beside the text.
[[nodiscard]] QChar verdictMark(experiments::Verdict verdict);

} // namespace headscope::gui
