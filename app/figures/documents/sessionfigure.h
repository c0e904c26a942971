// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From a recipe and a session to a figure: every number comes from the session, so neither the model nor a window is
// needed, and the same file gives the same figure. On the thread of the session, and the thread of Qt's fonts.

#include "app/figures/figurerecipe.h"
#include "widgets/figures/figure.h"

namespace headscope::sessions {
class SessionStore;
}

namespace headscope::figures {

/// Fails in one sentence where the session has not what the recipe names, and says which command would measure it.
[[nodiscard]] Result<widgets::Figure> makeFigure(sessions::SessionStore& session, const Recipe& recipe);

[[nodiscard]] widgets::FigureStyle styleOf(const StyleRecipe& style);

/// A recipe under a name that the session knows, or one of paperFigures.
[[nodiscard]] Result<Recipe> findRecipe(sessions::SessionStore& session, const std::string& name);

/// "KV retrieval, 8 pairs" for "toy_kv:pairs=8"; a name that is not known is shown as it is.
[[nodiscard]] std::string taskTitle(const std::string& task);

} // namespace headscope::figures
