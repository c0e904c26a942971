// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads answers that were saved from a page: small JSON files of unknown origin. Any thread.

#include "core/base/result.h"
#include "sessions/results/classtally.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::page {

/// Reads a file. Fails with the reason if it does not contain such answers.
[[nodiscard]] Result<sessions::AnswerSheet> readAnswerSheet(const std::filesystem::path& file);

struct AnswerSheets {
    std::vector<sessions::AnswerSheet> sheets;
    std::vector<std::string> problems; ///< one sentence for each file that is left out
};
/// Reads every *.json of a folder, without subfolders; empty if the folder cannot be read.
[[nodiscard]] AnswerSheets answerSheetsIn(const std::filesystem::path& folder);

} // namespace headscope::page
