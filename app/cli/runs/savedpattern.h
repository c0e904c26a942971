// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stores maps computed by commands in the session of their model. Main thread.

#include "app/cli/runs/promptrun.h"
#include "core/engine/pattern/patterns.h"

namespace headscope::cli {

/// Has no effect without a session. `set`: interventions on the model; call OpenModel::remember() first.
[[nodiscard]] Result<void> rememberPattern(OpenModel& open, const EncodedPrompt& prompt,
                                           const interventions::InterventionSet& set,
                                           const engine::HeadPattern& pattern,
                                           const analysis::MatrixConvention& convention);

} // namespace headscope::cli
