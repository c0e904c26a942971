// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From rows to requests: what all file-based tasks share. Internal to core/tasks (it names the JSON library).

#include "core/base/result.h"
#include "core/tasks/import/rows.h"
#include "core/tasks/registry.h"
#include "core/tasks/task.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::tasks {

/// A row as prompt pieces, before description, shots and delimiter are put around it.
struct Doc {
    int record = 0;
    std::string text;                  ///< doc_to_text; where `contexts` is filled, the right one of them
    std::string shot;                  ///< what follows the delimiter when the row is a few-shot example
    std::vector<std::string> contexts; ///< one a choice (WinoGrande)
    std::vector<std::string> choices;  ///< without the delimiter
    int gold = -1;
    std::string target;            ///< Generation; LogLikelihood: the continuation
    std::vector<Segment> segments; ///< offsets in `text`
    std::string identity;          ///< equal for equal rows
};

/// Reads fields of one row; the first problem rejects the row, later ones are not looked for.
class RowReader
{
public:
    RowReader(const Row& row, const std::string& file);

    [[nodiscard]] const nlohmann::json& row() const { return m_row.value; }
    [[nodiscard]] bool has(const char* field) const;
    /// A string field, or "" after rejecting (missing_field, wrong_type).
    [[nodiscard]] std::string text(const char* field);
    /// As text(), and rejects a field that is blank.
    [[nodiscard]] std::string filledText(const char* field);
    /// An integer, or a string of digits as CSV files and some mirrors have it; nullopt after rejecting.
    [[nodiscard]] std::optional<int> integer(const char* field);

    void reject(std::string code, std::string field, std::string reason);
    void warn(std::string code, std::string field, std::string reason);

    [[nodiscard]] bool ok() const { return !m_rejected; }
    [[nodiscard]] const std::optional<RowIssue>& rejection() const { return m_rejected; }
    [[nodiscard]] const std::vector<RowIssue>& warnings() const { return m_warnings; }
    [[nodiscard]] const std::string& id() const { return m_id; }

private:
    [[nodiscard]] RowIssue issue(std::string code, std::string field, std::string reason) const;
    const Row& m_row;
    const std::string& m_file;
    std::string m_id;
    std::optional<RowIssue> m_rejected;
    std::vector<RowIssue> m_warnings;
};

/// Fills a Doc from a row; after a rejection the Doc is not looked at.
using Converter = std::function<Doc(RowReader&)>;

/// Rows to docs; rejected rows and warnings go into the report, which also counts.
[[nodiscard]] std::vector<Doc> convertRows(Rows rows, const std::string& file, const Converter& convert,
                                           ImportReport& report);

/// A file that may hold a split. Paths are relative to the data folder; the part before the first slash may be missing
/// (when the task's own folder was chosen).
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

/// The first candidate that exists.
[[nodiscard]] std::optional<Located> locate(const std::filesystem::path& folder,
                                            const std::vector<Candidate>& candidates);

/// "Task 'piqa' wants piqa/valid.jsonl ... in the folder 'X', which has none of them; ..." or, when the folder holds
/// Parquet files of the task, what to do with them.
[[nodiscard]] Error missingFiles(const TaskInfo& info, const std::filesystem::path& folder);

/// The folder that is read: options.dataFolder, or the samples; and whether it is the samples.
struct DataFolder {
    std::filesystem::path path;
    bool sample = false;
};
[[nodiscard]] Result<DataFolder> dataFolder(const TaskOptions& options);

/// What it takes to read one split of a task.
struct SplitRequest {
    const TaskInfo& info;
    const std::vector<Candidate>& candidates;
    const Converter& convert;
    std::function<Result<void>(Rows&, const Located&)>
        adjust; ///< before converting: labels from a second file; may be empty
};
struct Split {
    std::vector<Doc> docs;
    std::string file; ///< relative to the data folder
    std::string split;
    ImportReport report;
};

/// Locates, reads and converts a split.
[[nodiscard]] Result<Split> readSplit(const SplitRequest& request, const DataFolder& folder);
/// As readSplit, for the examples in the prompt: a failure names the train file, not the evaluated one.
[[nodiscard]] Result<Split> readShots(const SplitRequest& request, const DataFolder& folder);

/// Notes in the set that few-shot examples were drawn from a shorter train file than the harness's.
void noteTruncated(TaskSet& set, const std::string& task, const Split& train);

/// How shots are chosen, see core/tasks/README.md.
enum class Shots {
    First,     ///< the first n
    Sampled,   ///< n drawn for every row by the harness's sampler
    SampledOne ///< n + 1 drawn: few-shot split and evaluated split count as equal
};

struct Assembly {
    std::string delimiter = " "; ///< between a text and its answer
    std::string suffix;          ///< after the text of the evaluated row (arc_challenge_chat's answer prefix)
    std::vector<std::string> until;
    int maxNewTokens = 256;
    Shots shots = Shots::Sampled;
};

/// Number of rows that `limit` leaves of `n`.
[[nodiscard]] std::size_t limited(std::size_t n, const std::optional<double>& limit);

/// What LeafTask::rowSource is of a leaf that is made of these rows.
[[nodiscard]] std::string rowSource(const LeafTask& leaf, const std::vector<Doc>& docs, const std::vector<Doc>& shots,
                                    const Assembly& assembly);

/// Appends the leaf and its examples to the set. `shots` are the rows that few-shot examples come from (may be `docs`
/// itself); `leaf.fewshot` of them stand before every row. Fails when there are too few, or no row at all.
[[nodiscard]] Result<void> append(TaskSet& set, LeafTask leaf, const std::vector<Doc>& docs,
                                  const std::vector<Doc>& shots, const Assembly& assembly, const std::string& file,
                                  const TaskOptions& options);

/// The metrics of the plain multiple-choice tasks.
[[nodiscard]] Metric metric(Metric::Kind kind, std::string filter = "none", Extraction extraction = {});

} // namespace headscope::tasks
