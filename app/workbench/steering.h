// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Directions to steer by that are named by two lists of prompts: `steer:L2=HAPPY-SAD`. Lives on the thread that
// runs the model.

#include "app/workbench/openmodel.h"

namespace headscope::app {

/// Reads both lists, text files with one prompt a line, and makes their mean difference before the layer. The function
/// keeps the model. It fails for files that are not there, for empty lists and for prompts that the model can not read.
[[nodiscard]] std::function<Result<at::Tensor>(const interventions::Steer&)> promptDirections(const OpenModel& open);

} // namespace headscope::app
