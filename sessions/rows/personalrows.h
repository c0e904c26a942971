// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The user's additions to results: figures, names of heads, tours, the state of the
// window; and unresolved merge conflicts. See SessionStore, which calls them. One thread
// at a time.

#include "sessions/file/connection.h"
#include "sessions/records.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::sessions {

[[nodiscard]] Result<void> putFigure(Connection& connection, const FigureRecipe& figure);
[[nodiscard]] Result<std::vector<FigureRecipe>> figures(Connection& connection);
[[nodiscard]] Result<void> removeFigure(Connection& connection, std::string_view name);
[[nodiscard]] Result<void> putLabel(Connection& connection, const LabelChange& change);
[[nodiscard]] Result<std::vector<HeadLabel>> labels(Connection& connection, std::string_view modelHash);
[[nodiscard]] Result<std::vector<ConflictRecord>> conflicts(Connection& connection);
[[nodiscard]] Result<void> setUiState(Connection& connection, std::string_view key, std::string_view value);
[[nodiscard]] Result<std::optional<std::string>> uiState(Connection& connection, std::string_view key);
[[nodiscard]] Result<void> setTour(Connection& connection, const TourProgress& progress);
[[nodiscard]] Result<std::vector<TourProgress>> tours(Connection& connection);

} // namespace headscope::sessions
