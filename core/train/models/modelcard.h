// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// README.md of a trained model: how it was made, what its heads are worth, what to believe of it. Any thread.

#include "core/train/trainer.h"
#include "core/train/trainingreport.h"

#include <string>

namespace headscope::train {

/// `version`: of the program. `parameters`: how many numbers were trained.
[[nodiscard]] std::string modelCard(const Recipe& recipe, const TrainingState& run, const ModelReport& report,
                                    std::int64_t parameters, const std::string& version);

} // namespace headscope::train
