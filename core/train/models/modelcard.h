// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// README.md of a trained model: how it was made, the importance of its heads, and its limits. Any thread.

#include "core/train/trainer.h"
#include "core/train/trainingreport.h"

#include <string>

namespace headscope::train {

/// Returns the text. `version`: program version. `parameters`: number of trained parameters.
[[nodiscard]] std::string modelCard(const Recipe& recipe, const TrainingState& run, const ModelReport& report,
                                    std::int64_t parameters, const std::string& version);

} // namespace headscope::train
