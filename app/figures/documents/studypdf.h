// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A document in Markdown with figures as a PDF of A4 pages. Private to app/figures; on the thread of Qt's fonts.

#include "widgets/figures/figure.h"

#include <QByteArray>

#include <string>
#include <vector>

namespace headscope::figures {

/// A figure under the name by which an image of the Markdown calls it.
struct StudyPicture {
    std::string name;
    widgets::Figure figure;
    widgets::FigureStyle style;
};

/// Headings of the second level begin a page; the number of each page is below it. Letters and figures are kept as
/// such. The same input gives the same bytes.
[[nodiscard]] QByteArray studyPdf(const std::string& markdown, const std::vector<StudyPicture>& pictures);

} // namespace headscope::figures
