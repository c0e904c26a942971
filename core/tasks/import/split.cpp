// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/split.h"

#include "core/tasks/python/pytext.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace headscope::tasks {

namespace fs = std::filesystem;

namespace {

// A CSV file with a header line becomes objects of strings.
Rows withHeader(const Rows& rows)
{
    Rows result = rows;
    result.rows.clear();
    if (rows.rows.empty())
        return result;
    const nlohmann::json header = rows.rows.front().value;
    result.read = std::max(0, rows.read - 1);
    for (std::size_t i = 1; i < rows.rows.size(); ++i) {
        Row row = rows.rows[i];
        --row.record;
        if (row.value.size() != header.size()) {
            result.rejected.push_back({{},
                                       row.firstLine,
                                       row.lastLine,
                                       row.record,
                                       {},
                                       "bad_csv",
                                       {},
                                       "The record has " + std::to_string(row.value.size()) + " columns; expected "
                                           + std::to_string(header.size()) + " as in the header.",
                                       excerpt(row.value.dump())});
            continue;
        }
        nlohmann::json object = nlohmann::json::object();
        for (std::size_t c = 0; c < header.size(); ++c)
            object[header[c].get<std::string>()] = row.value[c];
        row.value = std::move(object);
        result.rows.push_back(std::move(row));
    }
    return result;
}

} // namespace

std::vector<Doc> convertRows(Rows given, const std::string& file, const Converter& convert, ImportReport& report)
{
    const Rows rows = given.csv ? withHeader(given) : std::move(given);
    report.files.push_back(file);
    report.read += rows.read;
    report.blankLines += rows.blankLines;
    for (RowIssue issue : rows.rejected) {
        issue.file = file;
        report.rejected.push_back(std::move(issue));
    }
    report.warnings.insert(report.warnings.end(), rows.warnings.begin(), rows.warnings.end());

    std::vector<Doc> docs;
    std::set<std::string> ids;
    for (const Row& row : rows.rows) {
        RowReader reader(row, file);
        Doc doc = convert(reader);
        if (!reader.id().empty() && !ids.insert(reader.id()).second)
            reader.warn("duplicate_id", "id", "The id '" + reader.id() + "' occurs more than once.");
        report.warnings.insert(report.warnings.end(), reader.warnings().begin(), reader.warnings().end());
        if (reader.rejection()) {
            report.rejected.push_back(*reader.rejection());
            continue;
        }
        doc.record = row.record;
        doc.identity = row.value.dump();
        docs.push_back(std::move(doc));
    }
    report.accepted += static_cast<int>(docs.size());
    return docs;
}

namespace {

// A file's own name, and what the hub calls the one piece of a Parquet file of that name.
std::vector<std::string> fileSpellings(const std::string& file)
{
    constexpr std::string_view kSuffix = ".parquet";
    if (!file.ends_with(kSuffix))
        return {file};
    const std::string stem = file.substr(0, file.size() - kSuffix.size());
    return {file, stem + "-00000-of-00001.parquet", stem + "/0000.parquet"};
}

} // namespace

std::optional<Located> locate(const fs::path& folder, const std::vector<Candidate>& candidates)
{
    std::error_code ignored;
    for (const Candidate& candidate : candidates) {
        const std::size_t slash = candidate.path.find('/');
        for (const std::string& file :
             {candidate.path, slash == std::string::npos ? candidate.path : candidate.path.substr(slash + 1)}) {
            for (const std::string& spelling : fileSpellings(file))
                if (fs::is_regular_file(folder / spelling, ignored))
                    return Located{folder / spelling, spelling, candidate};
        }
    }
    return std::nullopt;
}

Error missingFiles(const TaskInfo& info, const fs::path& folder)
{
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        return ioError("The data folder '" + folder.string() + "' does not exist; task '" + info.name + "' needs "
                       + info.files + " in it.");
    const fs::path own = folder / info.name;
    for (const fs::path& place : {own, folder}) {
        for (fs::recursive_directory_iterator it(place, fs::directory_options::skip_permission_denied, ignored), end;
             !ignored && it != end && it.depth() < 3; it.increment(ignored)) {
            if (it->path().extension() == ".parquet"
                && (place == own || it->path().string().find(info.name) != std::string::npos))
                return inputError("Task '" + info.name + "' has several splits, and '" + it->path().string()
                                  + "' names none of them; it reads " + info.files
                                  + ", and a Parquet file under such a name.");
        }
    }
    return inputError("Task '" + info.name + "' needs " + info.files + " in the data folder '" + folder.string()
                      + "', which has none of them; they come from " + info.source + " (" + info.licence + ").");
}

Result<Split> readSplit(const SplitRequest& request, const DataFolder& folder)
{
    const std::optional<Located> located = locate(folder.path, request.candidates);
    if (!located)
        return missingFiles(request.info, folder.path);
    Result<Rows> rows = readRows(located->path, located->file);
    if (!rows.has_value())
        return rows.error();
    if (request.adjust) {
        if (const Result<void> adjusted = request.adjust(*rows, *located); !adjusted.has_value())
            return adjusted.error();
    }
    Split split;
    split.file = located->file;
    split.split = located->candidate.split;
    split.report.official = located->candidate.official;
    split.report.layout = located->candidate.layout;
    split.report.sample = folder.sample;
    // OpenBookQA's files have the same names in both layouts.
    if (!rows->rows.empty() && rows->rows.front().value.contains("question_stem"))
        split.report.layout = Layout::HuggingFace;
    split.docs = convertRows(std::move(*rows), located->file, request.convert, split.report);
    return split;
}

Result<Split> readShots(const SplitRequest& request, const DataFolder& folder)
{
    TaskInfo info = request.info;
    if (!request.candidates.empty())
        info.files = request.candidates.front().path;
    Result<Split> split = readSplit({info, request.candidates, request.convert, request.adjust}, folder);
    if (!split.has_value())
        return inputError("Examples in the prompt come from the train split: " + split.error().message);
    return split;
}

void noteTruncated(TaskSet& set, const std::string& task, const Split& train)
{
    if (train.report.accepted != train.report.official)
        set.notes.push_back(task + ": '" + train.file + "' has " + std::to_string(train.report.accepted) + " of "
                            + std::to_string(train.report.official)
                            + " train rows, so the prompt contains other examples than the harness's.");
}

Result<DataFolder> dataFolder(const TaskOptions& options)
{
    fs::path folder = options.dataFolder.empty() ? options.samplesFolder : options.dataFolder;
    if (folder.empty()) {
        Result<fs::path> found = samplesFolder();
        if (!found.has_value())
            return found.error();
        folder = *found;
    }
    std::error_code ignored;
    // The marker keeps the word "sample" on results even when the folder is named by hand.
    return DataFolder{folder, fs::exists(folder / "headscope-samples.json", ignored)};
}

} // namespace headscope::tasks
