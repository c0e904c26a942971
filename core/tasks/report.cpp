// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/report.h"

namespace headscope::tasks {

std::string toText(const RowIssue& issue)
{
    std::string where = issue.file;
    if (issue.firstLine > 0) {
        where += ", line " + std::to_string(issue.firstLine);
        if (issue.lastLine > issue.firstLine)
            where += " to " + std::to_string(issue.lastLine);
    }
    return where + ": " + issue.reason;
}

std::string ImportReport::extent() const
{
    if (layout == Layout::Generated)
        return "generated";
    if (sample)
        return "sample";
    if (official == 0)
        return "own";
    return complete() ? "complete" : "subset";
}

void ImportReport::add(const ImportReport& other)
{
    if (files.empty() && read == 0)
        layout = other.layout;
    files.insert(files.end(), other.files.begin(), other.files.end());
    read += other.read;
    accepted += other.accepted;
    blankLines += other.blankLines;
    official += other.official;
    sample = sample || other.sample;
    rejected.insert(rejected.end(), other.rejected.begin(), other.rejected.end());
    warnings.insert(warnings.end(), other.warnings.begin(), other.warnings.end());
}

const char* name(Layout layout)
{
    switch (layout) {
    case Layout::Original: return "original";
    case Layout::HuggingFace: return "Hugging Face";
    case Layout::Generated: return "generated";
    }
    return "";
}

} // namespace headscope::tasks
