// SPDX-License-Identifier: GPL-3.0-or-later
// A class's answers as a chart: the share that is right, question by question. Main thread.
#pragma once

#include "core/base/result.h"

#include <string>

namespace headscope::sessions {
struct ClassTally;
}

namespace headscope::figures {

/// Fails for a file that no chart can be written to, saying which can; call it before the work.
[[nodiscard]] Result<void> checkClassChart(const std::string& path);
/// Shares with 95 % Wilson intervals; open questions are left out. Fails where there is no other.
[[nodiscard]] Result<void> writeClassChart(const sessions::ClassTally& tally, const std::string& path);

} // namespace headscope::figures
