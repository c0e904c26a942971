// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs of experiments that were asked for and are not finished, as a session remembers them: after a restart they can
// go on. Pure functions; any thread.

#include "app/window/experiments/experimentrunner.h"

#include <deque>
#include <string>

namespace headscope::gui {

using ExperimentQueue = std::deque<ExperimentRequest>;

[[nodiscard]] std::string toJson(const ExperimentQueue& queue);
/// Of what toJson wrote; what cannot be read is left out.
[[nodiscard]] ExperimentQueue parseQueue(const std::string& json);

} // namespace headscope::gui
