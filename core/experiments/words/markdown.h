// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lines of the Markdown that documents of experiments are written in. Pure functions; any thread.

#include <string>
#include <vector>

namespace headscope::experiments {

/// Text that may hold anything as one line that Markdown shows as it is.
[[nodiscard]] std::string plainMarkdown(const std::string& text);
/// The same with an empty line behind it; nothing for nothing.
[[nodiscard]] std::string markdownParagraph(const std::string& text);
/// A table as on GitHub; the first row is its head.
[[nodiscard]] std::string markdownTable(const std::vector<std::vector<std::string>>& rows);

} // namespace headscope::experiments
