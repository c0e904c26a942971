// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Describes the worker's activity. Pure functions; any thread.

#include "app/backend/door.h"

#include <QString>

namespace headscope::gui {

/// Returns "Scoring A", "Reading the prompt with B"; empty for requests that are described by their own page.
[[nodiscard]] QString workText(const app::Lane& lane);

} // namespace headscope::gui
