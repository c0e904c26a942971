// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The answers that a reader saved from a page: small JSON files that anybody may have written. Any thread.

#include "core/base/result.h"
#include "sessions/results/classtally.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::page {

/// Fails for a file that is not such answers, saying what is wrong with it.
[[nodiscard]] Result<sessions::AnswerSheet> readAnswerSheet(const std::filesystem::path& file);

struct AnswerSheets {
    std::vector<sessions::AnswerSheet> sheets;
    std::vector<std::string> problems; ///< a sentence for each file that is left out
};
/// Every *.json of a folder, none of its folders; nothing where the folder cannot be read.
[[nodiscard]] AnswerSheets answerSheetsIn(const std::filesystem::path& folder);

} // namespace headscope::page
