// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Requested runs of experiments that are not finished, as stored in a session to be resumed after a restart. Pure
// functions; any thread.

#include "app/window/experiments/experimentrunner.h"

#include <deque>
#include <string>

namespace headscope::gui {

using ExperimentQueue = std::deque<ExperimentRequest>;

[[nodiscard]] std::string toJson(const ExperimentQueue& queue);
/// Parses the output of toJson; invalid entries are left out.
[[nodiscard]] ExperimentQueue parseQueue(const std::string& json);

} // namespace headscope::gui
