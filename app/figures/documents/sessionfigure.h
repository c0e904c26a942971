// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Makes figures from recipes and a session: every number comes from the session, so neither the model nor a window is
// needed, and the same file yields the same figure. On the thread of the session, which must be that of Qt's fonts.

#include "app/figures/figurerecipe.h"
#include "widgets/figures/figure.h"

namespace headscope::sessions {
class SessionStore;
}

namespace headscope::figures {

/// Makes a figure. Fails if the session lacks data of the recipe, naming the command that would measure it.
[[nodiscard]] Result<widgets::Figure> makeFigure(sessions::SessionStore& session, const Recipe& recipe);

[[nodiscard]] widgets::FigureStyle styleOf(const StyleRecipe& style);

/// Finds a recipe by a name that is in the session or among paperFigures.
[[nodiscard]] Result<Recipe> findRecipe(sessions::SessionStore& session, const std::string& name);

/// Figures under their names as parts of one, see compose().
[[nodiscard]] Result<Recipe> findComposed(sessions::SessionStore& session, const std::vector<std::string>& names);

/// "KV retrieval, 8 pairs" for "toy_kv:pairs=8"; a name that is not known is shown as it is.
[[nodiscard]] std::string taskTitle(const std::string& task);

} // namespace headscope::figures
