// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Data files as numbered rows in a common form: JSON lines, JSON, CSV, Parquet. Internal to core/tasks (it names the
// JSON library). Pure functions; any thread.

#include "core/base/result.h"
#include "core/tasks/report.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::tasks {

struct Row {
    int record = 0; ///< zero-based among all rows of the file, including unreadable ones
    int firstLine = 0;
    int lastLine = 0;
    nlohmann::json value; ///< an object, or an array of strings for CSV
};

/// The readable rows of one file. Unreadable ones are in `rejected` and counted in `read`.
struct Rows {
    std::vector<Row> rows;
    std::vector<RowIssue> rejected;
    std::vector<RowIssue> warnings;
    int read = 0;
    int blankLines = 0;
    bool csv = false;
};

constexpr std::uint64_t kLargestDataFile = 4'000'000'000; // bytes; ten times the largest known benchmark

/// Reads a file's bytes. Fails for a missing or larger file and for a Git LFS pointer.
[[nodiscard]] Result<std::string> readBytes(const std::filesystem::path& path,
                                            std::uint64_t maxBytes = kLargestDataFile);

/// Returns the size of a UTF-8 byte order mark at the start, or 0. The readers below skip it; offsets count it.
[[nodiscard]] std::size_t markSize(std::string_view bytes);

/// Parses JSON. Fails with the parser's message, and for arrays and objects nested deeper than 100, which no data set
/// has and which would exhaust the stack later.
[[nodiscard]] Result<nlohmann::json> parseJson(std::string_view text);

/// Reads one JSON object per line; lines end at LF only, one CR before it is dropped. `file`: the name in issues.
[[nodiscard]] Rows jsonLines(std::string_view bytes, const std::string& file);

/// Reads a JSON file: an array of objects, {"examples": [...]} (BBH), or {"rows": [{"row": {...}}]} (the hub's viewer).
/// Fails if it is not JSON or has another shape; a single element that is not an object is rejected.
[[nodiscard]] Result<Rows> jsonDocument(std::string_view bytes, const std::string& file);

/// Reads RFC 4180 with quotes and line breaks in quotes, like Python's csv; a row is an array of strings.
[[nodiscard]] Rows csvRows(std::string_view bytes, const std::string& file, char separator = ',');

/// Reads a Parquet file, the hub's format of data sets: columns of groups become members of objects, lists of groups
/// become parallel lists ({"text": [...], "label": [...]}). Lines are rows. Fails with one sentence for unsupported or
/// damaged files.
[[nodiscard]] Result<Rows> parquetRows(std::string_view bytes, const std::string& file);

/// Reads a file by its suffix (.jsonl, .json, .csv, .parquet). Fails for other suffixes.
[[nodiscard]] Result<Rows> readRows(const std::filesystem::path& path, const std::string& file);

} // namespace headscope::tasks
