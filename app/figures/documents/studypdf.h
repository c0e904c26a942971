// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts a Markdown document with figures to a PDF of A4 pages. Private to app/figures; on the thread of Qt's fonts.

#include "widgets/figures/figure.h"

#include <QByteArray>

#include <string>
#include <vector>

namespace headscope::figures {

/// A figure and the name by which an image in the Markdown refers to it.
struct StudyPicture {
    std::string name;
    widgets::Figure figure;
    widgets::FigureStyle style;
};

/// Returns the PDF. Second-level headings start a page; pages are numbered at the bottom. Text and figures stay
/// vectors. The same input yields the same bytes.
[[nodiscard]] QByteArray studyPdf(const std::string& markdown, const std::vector<StudyPicture>& pictures);

} // namespace headscope::figures
