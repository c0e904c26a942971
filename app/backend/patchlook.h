// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Some cells of a map of patches put in together: what the model says then, and a head's map. Worker thread only.

#include "app/backend/state.h"
#include "app/backend/values/patch.h"

namespace headscope::app {

[[nodiscard]] Result<PatchLookReply> readLook(Backend::State& state, const PatchLook& look, const Control& control);

} // namespace headscope::app
