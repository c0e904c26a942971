// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The results shown for one model, in the form a session stores. Plain values; any thread.

#include "sessions/records.h"

#include <optional>
#include <vector>

namespace headscope::app {

struct ShownRecords {
    sessions::ModelRecord model;
    std::optional<sessions::PatternRecord> pattern;
    std::vector<sessions::RankingRecord> rankings;
};

} // namespace headscope::app
