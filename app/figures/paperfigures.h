// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The figures of the Gather-and-Aggregate paper as recipes for what a session holds. On the thread of the session.

#include "app/figures/figurerecipe.h"
#include "core/base/result.h"

#include <vector>

namespace headscope::sessions {
class SessionStore;
}

namespace headscope::figures {

struct PaperFigure {
    std::string name;      ///< "gather-aggregate-maps"
    std::string title;     ///< what it shows
    Result<Recipe> recipe; ///< or which measurement is missing, in one sentence
};

/// Maps of gather and aggregate heads of Transformer beside SSM, last rows, accuracy against dictionary size, layer
/// removal, head maps, rankings as bars and table, the scoreboard, and scores by state: each from what has been
/// measured.
[[nodiscard]] Result<std::vector<PaperFigure>> paperFigures(sessions::SessionStore& session);

} // namespace headscope::figures
