// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The size from which the window treats a model as large. A value.

#include <cstdint>

namespace headscope::app {

/// Number of parameters from which work is split into smaller steps.
constexpr std::int64_t kLargeInWindow = 50'000'000;

} // namespace headscope::app
