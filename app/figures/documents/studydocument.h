// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Several experiments as one document with figures. On the thread of the session, which must be that of Qt's fonts.

#include "core/experiments/experimentreport.h"

#include <span>
#include <string>

namespace headscope::sessions {
class SessionStore;
}

namespace headscope::figures {

/// Fails for a name that ends neither in .md nor in .pdf.
[[nodiscard]] Result<void> checkStudyPath(const std::string& path);

/// Writes the text of experiments::studyMarkdown with the figure of each page: as Markdown, with figures as SVG in
/// a folder beside it, named like the file plus "-pictures", or as PDF, A4, with vector figures. `session`:
/// contains the maps of heads, which are added to their page; null: numbers only. The same reports yield the same
/// bytes.
[[nodiscard]] Result<void> writeStudy(std::span<const experiments::Report> reports, sessions::SessionStore* session,
                                      const std::string& path);

} // namespace headscope::figures
