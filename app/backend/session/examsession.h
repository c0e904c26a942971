// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the session of an exam is. Any thread.

#include "sessions/exam.h"

#include <string>

namespace headscope::app {

/// Returns the session file in `folder` of a begun exam with this hash that is not handed in, and reads `exam` from it;
/// otherwise creates a new file. Unreadable files are left untouched.
[[nodiscard]] Result<std::string> examSession(const std::string& folder, sessions::Exam& exam);

} // namespace headscope::app
