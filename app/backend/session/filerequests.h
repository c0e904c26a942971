// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is done to a whole session, and the figures kept in it: requests for SessionDoor.

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
/// Answers with how many ablations keep the folder of a model in their text.
[[nodiscard]] SessionRequest<std::int64_t> duplicateSessionWithoutPaths(const std::filesystem::path& target);
/// The same, and only what somebody needs who reads the answers: sessions::duplicateForHandIn.
[[nodiscard]] SessionRequest<std::int64_t> handInSession(const std::filesystem::path& target);
/// Adds what the session in `other` has and this one has not.
[[nodiscard]] SessionRequest<sessions::MergeReport> mergeSession(const std::filesystem::path& other);
/// Answers with the number of rows.
[[nodiscard]] SessionRequest<std::int64_t> exportTable(const std::string& table, const sessions::TableOptions& options,
                                                       const std::filesystem::path& file);
[[nodiscard]] SessionRequest<sessions::VerifyReport> verifySession();
[[nodiscard]] SessionRequest<sessions::CompactReport> compactSession();

[[nodiscard]] SessionRequest<std::vector<sessions::FigureRecipe>> keptFigures();
[[nodiscard]] SessionRequest<void> keepFigure(const sessions::FigureRecipe& figure);
[[nodiscard]] SessionRequest<void> removeFigure(const std::string& name);

} // namespace headscope::app
