// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The maps that commands compute, kept in the session of their model. Main thread.

#include "app/cli/runs/promptrun.h"
#include "core/engine/pattern/patterns.h"

namespace headscope::cli {

/// Does nothing where there is no session. `set` is what was done to the model; OpenModel::remember() comes first.
[[nodiscard]] Result<void> rememberPattern(OpenModel& open, const EncodedPrompt& prompt,
                                           const interventions::InterventionSet& set,
                                           const engine::HeadPattern& pattern,
                                           const analysis::MatrixConvention& convention);

} // namespace headscope::cli
