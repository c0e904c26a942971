// SPDX-License-Identifier: GPL-3.0-or-later
// A class's answers as a chart: the share of right answers, question by question. Main thread.
#pragma once

#include "core/base/result.h"

#include <string>

namespace headscope::sessions {
struct ClassTally;
}

namespace headscope::figures {

/// Fails for a file type that charts do not support, naming the supported ones; call it before the work.
[[nodiscard]] Result<void> checkClassChart(const std::string& path);
/// Writes shares with 95 % Wilson intervals, without open questions. Fails if there are no others.
[[nodiscard]] Result<void> writeClassChart(const sessions::ClassTally& tally, const std::string& path);

} // namespace headscope::figures
