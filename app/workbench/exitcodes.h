// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The exit codes of both programs, for --help and the man pages.

#include <string_view>

namespace headscope::app {

inline constexpr std::string_view kExitCodes = "0 success; 1 failure, with one sentence on standard error; 2 usage "
                                               "error; 130 interrupted, with finished work kept.";

} // namespace headscope::app
