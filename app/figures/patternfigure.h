// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Patterns as PDF, SVG and PNG files for programs without a window. Knows no model: numbers and words go in, files come
// out. Main thread; the values are always there, writePatterns only where the program is built with Qt.

#include "core/base/matrix.h"
#include "core/base/result.h"
#include "core/tasks/example.h"

#include <span>
#include <string>
#include <vector>

namespace headscope::figures {

/// Tokens [begin, end) that play one role in the prompt.
struct TokenRange {
    Role role = Role::Key;
    int begin = 0;
    int end = 0;
    bool target = false; ///< the piece that the right answer comes from
};

/// One head on one prompt.
struct PatternPicture {
    std::string path;                   ///< ends in pdf, svg or png
    Matrix matrix;                      ///< [T, T], rows are queries; one row: drawn as bars
    int row = -1;                       ///< which query position that one row is
    std::vector<std::string> tokens;    ///< what each writes, one a column
    std::vector<std::string> spellings; ///< the same as the vocabulary spells them; not drawn
    std::vector<int> ids;               ///< of the tokens; not drawn
    std::vector<TokenRange> segments;
    std::string head;    ///< "L2H5"
    std::string meaning; ///< "softmax attention (rows sum to 1)"
    bool isSigned = false;
    std::string scale = "raw"; ///< raw, row, minmax, log or signed
    std::string title;
    std::string caption;
    std::string provenance;
};

/// Starts Qt's offscreen platform for the call, unless an application runs already, and writes all files. Fails for
/// another suffix or scale, and at the first file that cannot be written.
[[nodiscard]] Result<void> writePatterns(std::span<const PatternPicture> pictures);

} // namespace headscope::figures
