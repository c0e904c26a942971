// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the worker does, in words. Pure functions; any thread.

#include "app/backend/door.h"

#include <QString>

namespace headscope::gui {

/// "Scoring A", "Reading the prompt with B"; empty for what has words of its own where it is asked for.
[[nodiscard]] QString workText(const app::Lane& lane);

} // namespace headscope::gui
