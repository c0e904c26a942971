// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Verdicts as the window says them. Pure functions; any thread.

#include "core/experiments/evidence/verdict.h"

#include <QString>

namespace headscope::gui {

/// "appears", "appears in part", "does not appear", "inconclusive".
[[nodiscard]] QString verdictText(experiments::Verdict verdict);

/// One sign for each, to be read beside the words.
[[nodiscard]] QChar verdictMark(experiments::Verdict verdict);

} // namespace headscope::gui
