// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Markdown for documents of experiments. Pure functions; any thread.

#include <string>
#include <vector>

namespace headscope::experiments {

/// Returns arbitrary text as one line that Markdown shows literally.
[[nodiscard]] std::string plainMarkdown(const std::string& text);
/// Returns the same followed by an empty line; an empty string for empty text.
[[nodiscard]] std::string markdownParagraph(const std::string& text);
/// Returns a GitHub-style table; the first row is its header.
[[nodiscard]] std::string markdownTable(const std::vector<std::vector<std::string>>& rows);

} // namespace headscope::experiments
