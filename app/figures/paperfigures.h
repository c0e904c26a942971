// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The figures of the Gather-and-Aggregate paper as recipes for the data in a session. On the thread of the session.

#include "app/figures/figurerecipe.h"
#include "core/base/result.h"

#include <vector>

namespace headscope::sessions {
class SessionStore;
}

namespace headscope::figures {

struct PaperFigure {
    std::string name;      ///< "gather-aggregate-maps"
    std::string title;     ///< description of the content
    Result<Recipe> recipe; ///< or the missing measurement, in one sentence
};

/// Returns maps of gather and aggregate heads of Transformer and SSM, last rows, accuracy against dictionary size,
/// layer removal, head maps, rankings as bars and table, the scoreboard, and scores by state: each as far as it was
/// measured.
[[nodiscard]] Result<std::vector<PaperFigure>> paperFigures(sessions::SessionStore& session);

} // namespace headscope::figures
