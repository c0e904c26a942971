// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The exit codes of both programs, for --help and the man pages.

#include <string_view>

namespace headscope::app {

inline constexpr std::string_view kExitCodes =
    "0 done; 1 failed, with one sentence on standard error; 2 wrong use; 130 stopped, and what was finished is kept.";

} // namespace headscope::app
