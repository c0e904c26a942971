// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A split of a task: found in the data folder, read, and its rows converted to prompt parts. Internal to core/tasks.
// Reads files.

#include "core/base/result.h"
#include "core/tasks/import/rowreader.h"
#include "core/tasks/registry.h"
#include "core/tasks/task.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headscope::tasks {

/// A row as prompt parts, before description, shots and delimiter are added.
struct Doc {
    int record = 0;
    std::string text;                  ///< doc_to_text; if `contexts` is set, the right one of them
    std::string shot;                  ///< text after the delimiter when the row is a few-shot example
    std::vector<std::string> contexts; ///< one per choice (WinoGrande)
    std::vector<std::string> choices;  ///< without the delimiter
    int gold = -1;
    std::string target;            ///< Generation; LogLikelihood: the continuation
    std::vector<Segment> segments; ///< offsets in `text`
    std::string identity;          ///< equal for equal rows
};

/// Fills a Doc from a row; after a rejection the Doc is ignored.
using Converter = std::function<Doc(RowReader&)>;

/// Converts rows to docs; rejected rows, warnings and counts go into the report.
[[nodiscard]] std::vector<Doc> convertRows(Rows rows, const std::string& file, const Converter& convert,
                                           ImportReport& report);

/// A file that may contain a split. Paths are relative to the data folder; the part before the first slash may be
/// missing (if the task's own folder was chosen).
struct Candidate {
    std::string path;
    std::string split;
    int official = 0;
    Layout layout = Layout::Original;
};

struct Located {
    std::filesystem::path path;
    std::string file; ///< relative to the data folder
    Candidate candidate;
};

/// Returns the first candidate that exists.
[[nodiscard]] std::optional<Located> locate(const std::filesystem::path& folder,
                                            const std::vector<Candidate>& candidates);

/// Returns "Task 'piqa' needs piqa/valid.jsonl ... in the folder 'X', which has none of them; ..." or, if the folder
/// contains Parquet files of the task, that they must be renamed.
[[nodiscard]] Error missingFiles(const TaskInfo& info, const std::filesystem::path& folder);

/// The folder to read: options.dataFolder, or the samples; and whether it is the samples.
struct DataFolder {
    std::filesystem::path path;
    bool sample = false;
};
[[nodiscard]] Result<DataFolder> dataFolder(const TaskOptions& options);

/// Everything needed to read one split of a task.
struct SplitRequest {
    const TaskInfo& info;
    const std::vector<Candidate>& candidates;
    const Converter& convert;
    std::function<Result<void>(Rows&, const Located&)>
        adjust; ///< before converting: adds labels from a second file; may be empty
};
struct Split {
    std::vector<Doc> docs;
    std::string file; ///< relative to the data folder
    std::string split;
    ImportReport report;
};

/// Locates, reads and converts a split.
[[nodiscard]] Result<Split> readSplit(const SplitRequest& request, const DataFolder& folder);
/// Like readSplit, for the examples in the prompt: a failure names the train file, not the evaluated one.
[[nodiscard]] Result<Split> readShots(const SplitRequest& request, const DataFolder& folder);

/// Notes in the set that few-shot examples were drawn from a shorter train file than the harness's.
void noteTruncated(TaskSet& set, const std::string& task, const Split& train);

} // namespace headscope::tasks
