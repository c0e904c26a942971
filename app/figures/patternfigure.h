// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Patterns as PDF, SVG and PNG files for programs without a window, from plain numbers and texts, independent of
// models. Main thread; the values are always available, writePatterns only if the program is built with Qt.

#include "core/base/matrix.h"
#include "core/base/result.h"
#include "core/tasks/example.h"

#include <span>
#include <string>
#include <vector>

namespace headscope::figures {

/// Tokens [begin, end) of the prompt with one role.
struct TokenRange {
    Role role = Role::Key;
    int begin = 0;
    int end = 0;
    bool target = false; ///< the part that contains the right answer
};

/// One head on one prompt.
struct PatternPicture {
    std::string path;                   ///< ends in pdf, svg or png
    Matrix matrix;                      ///< [T, T], rows are queries; one row: drawn as bars
    int row = -1;                       ///< query position if the matrix is a single row
    std::vector<std::string> tokens;    ///< text of each token, one per column
    std::vector<std::string> spellings; ///< the same as spelled in the vocabulary; not drawn
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

/// Starts Qt's offscreen platform for the call, unless an application already runs, and writes all files. Fails for
/// other suffixes or scales, and at the first file that cannot be written.
[[nodiscard]] Result<void> writePatterns(std::span<const PatternPicture> pictures);

} // namespace headscope::figures
