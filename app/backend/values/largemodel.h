// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the window begins to treat a model as large. A value.

#include <cstdint>

namespace headscope::app {

/// Parameters from which on work is split finer.
constexpr std::int64_t kLargeInWindow = 50'000'000;

} // namespace headscope::app
