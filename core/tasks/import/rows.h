// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Data files as numbered rows, whatever their format: JSON lines, JSON, CSV. Internal to core/tasks (it names the JSON
// library). Pure functions; any thread.

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
    int record = 0; ///< zero-based among all rows of the file, the unreadable ones included
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

constexpr std::uint64_t kLargestDataFile = 4'000'000'000; // bytes; the largest known benchmark has a tenth of it

/// The bytes of a file. Fails for a missing file, a larger one and a Git LFS pointer.
[[nodiscard]] Result<std::string> readBytes(const std::filesystem::path& path,
                                            std::uint64_t maxBytes = kLargestDataFile);

/// The size of a UTF-8 byte order mark, if the bytes begin with one. The readers below step over it; offsets count it.
[[nodiscard]] std::size_t markSize(std::string_view bytes);

/// JSON text to a value. Fails with the parser's words, and for arrays and objects nested deeper than 100, which no
/// data set has and which would exhaust the stack later.
[[nodiscard]] Result<nlohmann::json> parseJson(std::string_view text);

/// One JSON object a line; lines end at LF only, one CR before it is dropped. `file` is the name used in issues.
[[nodiscard]] Rows jsonLines(std::string_view bytes, const std::string& file);

/// A JSON file: an array of objects, {"examples": [...]} (BBH), or {"rows": [{"row": {...}}]} (the hub's viewer). Fails
/// when the file is not JSON or has none of these shapes; a single element that is not an object is rejected.
[[nodiscard]] Result<Rows> jsonDocument(std::string_view bytes, const std::string& file);

/// RFC 4180 with quotes and line breaks inside quotes, as Python's csv reads it; a row is an array of strings.
[[nodiscard]] Rows csvRows(std::string_view bytes, const std::string& file, char separator = ',');

/// A Parquet file, as the hub serves data sets: columns of groups are members of objects, lists of groups are lists
/// side by side ({"text": [...], "label": [...]}). Lines are rows. Fails with one sentence for what is not read or is
/// damaged.
[[nodiscard]] Result<Rows> parquetRows(std::string_view bytes, const std::string& file);

/// By the file's suffix (.jsonl, .json, .csv, .parquet). Fails for other suffixes.
[[nodiscard]] Result<Rows> readRows(const std::filesystem::path& path, const std::string& file);

} // namespace headscope::tasks
