// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/rows.h"

#include "core/io/safetensors/lfspointer.h"
#include "core/io/textfiles/textfile.h"
#include "core/tasks/python/pytext.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace headscope::tasks {

namespace {

using nlohmann::json;

RowIssue issue(const std::string& file, const Row& row, std::string code, std::string reason, std::string_view text)
{
    return {file, row.firstLine, row.lastLine, row.record, {}, std::move(code), {}, std::move(reason), excerpt(text)};
}

// The parser's own sentence without the library's prefix. It repeats what it read last, which can be the whole file.
std::string parserWords(const json::exception& error)
{
    constexpr int kLongest = 160;
    const std::string_view words = error.what();
    const std::size_t bracket = words.find("] ");
    return excerpt(bracket == words.npos ? words : words.substr(bracket + 2), kLongest);
}

/// First and last line of each element of a list: of the document itself, or of its member `key`. The text is valid
/// JSON.
std::vector<std::pair<int, int>> elementLines(std::string_view text, std::string_view key)
{
    std::vector<std::pair<int, int>> lines;
    const int inside = key.empty() ? 1 : 2; // brackets around the elements
    int depth = 0, line = 1;
    bool listed = false, open = false; // in the list; in one of its elements
    std::string_view name;             // the last string at depth 1: before a bracket that is the member's name
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        line += c == '\n';
        if (c == '\n' || c == '\r' || c == '\t' || c == ' ')
            continue;
        if (listed && depth == inside)
            open = c != ',' && c != ']' && (open || (lines.emplace_back(line, line), true));
        if (open)
            lines.back().second = line;
        if (c == '"') {
            const std::size_t begin = i + 1;
            while (text[++i] != '"')
                i += text[i] == '\\';
            if (depth == 1)
                name = text.substr(begin, i - begin);
        } else if (c == '[' || c == '{') {
            if (++depth == inside && c == '[' && (key.empty() || name == key)) {
                listed = true;
                lines.clear();
            }
        } else if ((c == ']' || c == '}') && --depth < inside) {
            listed = false;
        }
    }
    return lines;
}

std::string utf8Reason(std::size_t offset)
{
    return "The text is not valid UTF-8 at byte " + std::to_string(offset) + " of the file.";
}

void addObject(Rows& rows, const std::string& file, Row row, std::string_view text)
{
    if (row.value.is_object())
        rows.rows.push_back(std::move(row));
    else
        rows.rejected.push_back(
            issue(file, row, "wrong_type",
                  std::string("The row is a JSON ") + row.value.type_name() + "; expected an object.", text));
}

} // namespace

Result<std::string> readBytes(const std::filesystem::path& path, std::uint64_t maxBytes)
{
    auto bytes = io::readTextFile(path, maxBytes);
    if (!bytes.has_value())
        return bytes;
    if (io::isLfsPointer(*bytes))
        return inputError("The file '" + path.string()
                          + "' is a Git LFS pointer, not data (git_lfs_pointer); fetch the real "
                            "file with 'git lfs pull' or from the data set's own site.");
    return bytes;
}

std::size_t markSize(std::string_view bytes)
{
    return bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
}

Result<json> parseJson(std::string_view text)
{
    constexpr int kDeepest = 100;
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            i += c == '\\';
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kDeepest)
                return inputError("arrays and objects are nested deeper than " + std::to_string(kDeepest));
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    try {
        return json::parse(text);
    } catch (const json::exception& error) {
        return inputError(parserWords(error));
    }
}

Rows jsonLines(std::string_view bytes, const std::string& file)
{
    Rows rows;
    int line = 0;
    for (std::size_t begin = markSize(bytes); begin < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
        std::string_view text = bytes.substr(begin, end - begin);
        const std::size_t offset = begin;
        begin = end + 1;
        ++line;
        if (text.ends_with('\r'))
            text.remove_suffix(1);
        if (text.find_first_not_of(" \t") == text.npos) {
            ++rows.blankLines;
            continue;
        }
        Row row{rows.read++, line, line, {}};
        if (const std::size_t bad = findInvalidUtf8(text); bad != text.npos) {
            rows.rejected.push_back(issue(file, row, "bad_utf8", utf8Reason(offset + bad), text));
            continue;
        }
        Result<json> value = parseJson(text);
        if (!value.has_value()) {
            rows.rejected.push_back(
                issue(file, row, "bad_json", "The line is not JSON: " + value.error().message + ".", text));
            continue;
        }
        row.value = std::move(*value);
        addObject(rows, file, std::move(row), text);
    }
    return rows;
}

Result<Rows> jsonDocument(std::string_view bytes, const std::string& file)
{
    if (const std::size_t bad = findInvalidUtf8(bytes); bad != bytes.npos)
        return inputError(
            "'" + file + "', line "
            + std::to_string(1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bad), '\n'))
            + ": " + utf8Reason(bad));
    const std::string_view text = bytes.substr(markSize(bytes));
    const Result<json> parsed = parseJson(text);
    if (!parsed.has_value())
        return inputError("'" + file + "' is not JSON: " + parsed.error().message + ".");
    const json& document = *parsed;
    const json* list = document.is_array() ? &document : nullptr;
    std::string_view key; // of the list, unless the document itself is one
    if (document.is_object()) {
        if (const auto examples = document.find("examples"); examples != document.end() && examples->is_array()) {
            list = &*examples;
            key = "examples";
        } else if (const auto rows = document.find("rows"); rows != document.end() && rows->is_array()) {
            list = &*rows;
            key = "rows";
        }
    }
    if (!list)
        return inputError("'" + file
                          + "' contains no list of rows; expected an array, or an object with the list 'examples'.");

    std::vector<std::pair<int, int>> lines = elementLines(text, key);
    lines.resize(list->size(), {1, 1}); // a member's name spelled with escapes is not found
    Rows rows;
    for (const json& element : *list) {
        const auto [first, last] = lines[static_cast<std::size_t>(rows.read)];
        Row row{rows.read++, first, last, element};
        if (key == "rows" && element.is_object() && element.contains("row"))
            row.value = element["row"];
        addObject(rows, file, std::move(row), element.is_string() ? element.get_ref<const std::string&>() : "");
    }
    return rows;
}

Rows csvRows(std::string_view bytes, const std::string& file, char separator)
{
    Rows rows;
    rows.csv = true;
    int line = 1;
    for (std::size_t i = markSize(bytes); i < bytes.size();) {
        Row row{rows.read, line, line, json::array()};
        const std::size_t begin = i;
        std::string field;
        bool quoted = false, wasQuoted = false, looseText = false, ended = false;
        while (i < bytes.size() && !ended) {
            const char c = bytes[i];
            if (quoted) {
                if (c == '"' && i + 1 < bytes.size() && bytes[i + 1] == '"')
                    field += bytes[i++];
                else if (c == '"')
                    quoted = false;
                else
                    field += c;
                line += c == '\n';
            } else if (c == '"' && field.empty() && !wasQuoted) {
                quoted = wasQuoted = true;
            } else if (c == separator) {
                row.value.push_back(std::move(field));
                field.clear();
                wasQuoted = false;
            } else if (c == '\n' || (c == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n')) {
                i += c == '\r';
                ended = true;
            } else {
                looseText = looseText || wasQuoted;
                field += c;
            }
            ++i;
        }
        row.lastLine = line;
        line += ended;
        const std::string_view text = bytes.substr(begin, i - begin);
        if (row.value.empty() && field.empty() && !wasQuoted) {
            ++rows.blankLines;
            continue;
        }
        row.value.push_back(std::move(field));
        ++rows.read;
        if (quoted) {
            rows.rejected.push_back(issue(file, row, "bad_csv",
                                          "A quote opened in the record that starts at line "
                                              + std::to_string(row.firstLine)
                                              + " is not closed before the end of the file.",
                                          text));
            continue;
        }
        if (const std::size_t bad = findInvalidUtf8(text); bad != text.npos) {
            rows.rejected.push_back(issue(file, row, "bad_utf8", utf8Reason(begin + bad), text));
            continue;
        }
        if (looseText)
            rows.warnings.push_back(issue(file, row, "bad_csv",
                                          "There is text after a closing quote; it is kept as Python's csv keeps it.",
                                          text));
        rows.rows.push_back(std::move(row));
    }
    return rows;
}

Result<Rows> readRows(const std::filesystem::path& path, const std::string& file)
{
    const std::string suffix = lower(path.extension().string());
    if (suffix != ".jsonl" && suffix != ".json" && suffix != ".csv" && suffix != ".parquet")
        return inputError("'" + file + "' has the suffix '" + suffix + "'; expected .jsonl, .json, .csv or .parquet.");
    Result<std::string> bytes = readBytes(path);
    if (!bytes.has_value())
        return bytes.error();
    if (suffix == ".csv")
        return csvRows(*bytes, file);
    if (suffix == ".parquet")
        return parquetRows(*bytes, file);
    // Some sites name JSON lines ".json": one object whose text ends before the file does.
    if (suffix == ".jsonl")
        return jsonLines(*bytes, file);
    Result<Rows> document = jsonDocument(*bytes, file);
    if (!document.has_value() && bytes->substr(markSize(*bytes)).starts_with("{")
        && bytes->find("\n{") != std::string::npos)
        return jsonLines(*bytes, file);
    return document;
}

} // namespace headscope::tasks
