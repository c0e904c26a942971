// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The rows that an import accepted and rejected, so that a score can state what it is based on. Values; any thread.

#include <string>
#include <vector>

namespace headscope::tasks {

/// One row that was rejected, or accepted with a warning.
struct RowIssue {
    std::string file;  ///< relative to the data folder
    int firstLine = 0; ///< physical, one-based; a CSV record may span several
    int lastLine = 0;
    int record = 0;     ///< zero-based; -1 for the file as a whole
    std::string id;     ///< the row's own id, if it has one
    std::string code;   ///< "bad_json", "missing_field", "bad_label", ...
    std::string field;  ///< empty for the row as a whole
    std::string reason; ///< one sentence
    std::string excerpt;
};

/// Returns "mmlu/test/anatomy_test.csv, line 3: The answer is 'E'; expected A, B, C or D."
[[nodiscard]] std::string toText(const RowIssue& issue);

enum class Layout { Original, HuggingFace, Generated };

struct ImportReport {
    std::vector<std::string> files; ///< files read, relative to the data folder
    Layout layout = Layout::Original;
    int read = 0; ///< rows in the evaluated file, without blank lines
    int accepted = 0;
    int blankLines = 0;
    int official = 0;    ///< rows of the official split; 0 if there is none (generated, user-defined tasks)
    bool sample = false; ///< only the few rows included with Headscope, not the benchmark
    std::vector<RowIssue> rejected;
    std::vector<RowIssue> warnings;

    [[nodiscard]] bool complete() const { return !sample && official > 0 && accepted == official; }
    /// Returns "complete", "subset", "sample", "generated", or "own" (a task file's rows), which every result carries.
    [[nodiscard]] std::string extent() const;
    /// Adds another file's report (for leaf tasks of a group).
    void add(const ImportReport& other);
};

[[nodiscard]] const char* name(Layout layout);

} // namespace headscope::tasks
