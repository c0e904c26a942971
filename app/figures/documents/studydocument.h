// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Several experiments as one document with their pictures. On the thread of the session, and the thread of Qt's fonts.

#include "core/experiments/experimentreport.h"

#include <span>
#include <string>

namespace headscope::sessions {
class SessionStore;
}

namespace headscope::figures {

/// Fails for a name that ends neither in .md nor in .pdf.
[[nodiscard]] Result<void> checkStudyPath(const std::string& path);

/// What experiments::studyMarkdown gives, with the picture of each page: as Markdown, the pictures as SVG in a folder
/// beside it that is called as the file and "-pictures", or as PDF, A4, the pictures as lines and letters. `session`:
/// where heads' maps lie, which are on their page then; null: numbers alone are drawn. The same reports give the same
/// bytes.
[[nodiscard]] Result<void> writeStudy(std::span<const experiments::Report> reports, sessions::SessionStore* session,
                                      const std::string& path);

} // namespace headscope::figures
