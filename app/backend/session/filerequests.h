// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Operations on a whole session, and the figures stored in it: requests for SessionDoor.

#include "app/backend/session/sessiondoor.h"
#include "sessions/export/exporttables.h"
#include "sessions/file/maintenance.h"
#include "sessions/merge.h"
#include "sessions/records.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope::app {

[[nodiscard]] SessionRequest<void> saveSessionAs(const std::filesystem::path& target);
[[nodiscard]] SessionRequest<void> duplicateSession(const std::filesystem::path& target);
/// Writes a copy without file paths. Answers with the number of ablations that still contain the folder of a model.
[[nodiscard]] SessionRequest<std::int64_t> duplicateSessionWithoutPaths(const std::filesystem::path& target);
/// The same, with only the data needed to read the answers: see sessions::duplicateForHandIn.
[[nodiscard]] SessionRequest<std::int64_t> handInSession(const std::filesystem::path& target);
/// Adds everything that the session in `other` contains and this one does not.
[[nodiscard]] SessionRequest<sessions::MergeReport> mergeSession(const std::filesystem::path& other);
/// Writes a table to a file. Answers with the number of rows.
[[nodiscard]] SessionRequest<std::int64_t> exportTable(const std::string& table, const sessions::TableOptions& options,
                                                       const std::filesystem::path& file);
[[nodiscard]] SessionRequest<sessions::VerifyReport> verifySession();
[[nodiscard]] SessionRequest<sessions::CompactReport> compactSession();

[[nodiscard]] SessionRequest<std::vector<sessions::FigureRecipe>> keptFigures();
[[nodiscard]] SessionRequest<void> keepFigure(const sessions::FigureRecipe& figure);
[[nodiscard]] SessionRequest<void> removeFigure(const std::string& name);

} // namespace headscope::app
