// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the session of an exam is. Any thread.

#include "sessions/exam.h"

#include <string>

namespace headscope::app {

/// The file of the exam with this hash that was begun in `folder` and not handed in, and `exam` as that file has it,
/// with its own time limit; else a new file that begins it. One that cannot be read is left where it is.
[[nodiscard]] Result<std::string> examSession(const std::string& folder, sessions::Exam& exam);

} // namespace headscope::app
