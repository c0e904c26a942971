// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/rows/columns.h"

#include "core/base/hash.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <limits>
#include <random>
#include <utility>

namespace headscope::sessions {

namespace {

constexpr std::int64_t kMaxNameBytes = 16'384, kMaxLineBytes = 1'000'000, kMaxTextBytes = 16'000'000;

/// Columns of texts that are longer than names: states and what describes a row in a line, and whole texts.
constexpr std::array<std::string_view, 10> kLines = {"ablation", "inputs", "label", "origin", "part",
                                                     "receiver", "source", "text",  "what",   "file"};
constexpr std::array<std::string_view, 24> kTexts = {
    "answer",   "context", "continuations", "extra",    "generated", "greedy_choices", "heads",    "log_likelihoods",
    "note",     "prompt",  "profile",       "question", "reads",     "recipe",         "rejected", "segments",
    "settings", "state",   "summary",       "theirs",   "tokens",    "value",          "words",    "earlier_words"};

/// With a row per result, example or head.
constexpr std::array<std::string_view, 10> kLargeTables = {
    "analysis_values", "chunks",       "examples",      "patterns",     "ranking_heads",
    "results",         "survey_heads", "survey_places", "survey_texts", "survey_values"};

bool holds(const auto& names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Texts of a table by their columns, in the order of the table.
std::vector<std::string> textColumns(SQLite::Database& db, const std::string& table)
{
    SQLite::Statement info(db, "PRAGMA table_info('" + table + "')");
    std::vector<std::string> names;
    while (info.executeStep())
        if (info.getColumn(2).getString() == "TEXT")
            names.push_back(info.getColumn(1).getString());
    return names;
}

[[noreturn]] void badColumn(SQLite::Statement& row, int column, const char* expected)
{
    const SQLite::Column value = row.getColumn(column);
    const char* got = value.isNull()      ? "nothing"
                      : value.isInteger() ? "a whole number"
                      : value.isFloat()   ? "a number"
                      : value.isText()    ? "text"
                                          : "bytes";
    throw BadRow(fmt::format("column '{}' should contain {}, got {}", value.getName(), expected, got));
}

std::string bytesAt(SQLite::Statement& row, int column, std::int64_t maxBytes)
{
    const SQLite::Column value = row.getColumn(column);
    if (value.getBytes() > maxBytes)
        throw BadRow(fmt::format("column '{}' contains {} bytes, expected at most {}", value.getName(),
                                 value.getBytes(), maxBytes));
    return value.getString();
}

constexpr int kDeepest = 64; // levels of JSON

/// The most brackets that are open at once outside of strings.
int nesting(std::string_view json)
{
    int depth = 0, deepest = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (quoted && c == '\\')
            ++i;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '[' || c == '{'))
            deepest = std::max(deepest, ++depth);
        else if (!quoted && (c == ']' || c == '}'))
            --depth;
    }
    return deepest;
}

nlohmann::json listOf(const std::string& json)
{
    if (nesting(json) > 1)
        throw BadRow("expected a flat JSON list, got '" + json.substr(0, 40) + "'");
    nlohmann::json list = nlohmann::json::parse(json, nullptr, false);
    if (!list.is_array())
        throw BadRow("expected a JSON list, got '" + json.substr(0, 40) + "'");
    return list;
}

} // namespace

std::string timestamp()
{
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

std::string oneLine(std::string_view message)
{
    std::string line(message.substr(0, 200));
    for (char& c : line)
        if (static_cast<unsigned char>(c) < ' ')
            c = ' ';
    while (!line.empty() && (line.back() == '.' || line.back() == ' '))
        line.pop_back();
    return line;
}

std::string newUid()
{
    std::random_device device;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

std::int64_t mostBytesOf(std::string_view column)
{
    return holds(kTexts, column) ? kMaxTextBytes : holds(kLines, column) ? kMaxLineBytes : kMaxNameBytes;
}

void refuseLongTexts(SQLite::Database& db, bool all)
{
    std::vector<std::string> tables;
    SQLite::Statement list(db, "SELECT name FROM sqlite_schema WHERE type = 'table'");
    while (list.executeStep())
        if (std::string name = list.getColumn(0).getString(); all || !holds(kLargeTables, name))
            tables.push_back(std::move(name));
    for (const std::string& table : tables) {
        const std::vector<std::string> columns = textColumns(db, table);
        std::string sizes;
        for (const std::string& column : columns)
            sizes += fmt::format("{}max(length(CAST({} AS BLOB)))", sizes.empty() ? "" : ", ", column);
        if (columns.empty())
            continue;
        SQLite::Statement longest(db, fmt::format("SELECT {} FROM {}", sizes, table));
        longest.executeStep();
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (const std::int64_t size = longest.getColumn(static_cast<int>(i)).getInt64(),
                most = mostBytesOf(columns[i]);
                size > most)
                throw BadRow(fmt::format("column '{}' of table '{}' contains {} bytes, expected at most {}", columns[i],
                                         table, size, most));
    }
}

void requireFits(std::string_view what, std::string_view column, std::string_view text)
{
    if (const std::int64_t most = mostBytesOf(column); std::cmp_greater(text.size(), most))
        throw BadRequest(fmt::format("{} has {} bytes; at most {} can be kept", what, text.size(), most));
}

std::string textAt(SQLite::Statement& row, int column, std::int64_t maxBytes)
{
    if (!row.getColumn(column).isText())
        badColumn(row, column, "text");
    return bytesAt(row, column, maxBytes > 0 ? maxBytes : mostBytesOf(row.getColumn(column).getName()));
}

std::string jsonAt(SQLite::Statement& row, int column, std::int64_t maxBytes)
{
    std::string json = textAt(row, column, maxBytes);
    if (!isShallow(json))
        throw BadRow(fmt::format("column '{}' nests deeper than {} levels", row.getColumn(column).getName(), kDeepest));
    return json;
}

bool isShallow(std::string_view json)
{
    return nesting(json) <= kDeepest;
}

std::string stateAt(SQLite::Statement& row, int column, std::int64_t maxBytes)
{
    std::string value = blobAt(row, column, maxBytes);
    if ((value.starts_with('{') || value.starts_with('[')) && !isShallow(value))
        throw BadRow(fmt::format("column '{}' nests deeper than {} levels", row.getColumn(column).getName(), kDeepest));
    return value;
}

std::string blobAt(SQLite::Statement& row, int column, std::int64_t maxBytes)
{
    if (!row.getColumn(column).isBlob())
        badColumn(row, column, "bytes");
    return bytesAt(row, column, maxBytes);
}

std::int64_t int64At(SQLite::Statement& row, int column)
{
    if (!row.getColumn(column).isInteger())
        badColumn(row, column, "a whole number");
    return row.getColumn(column).getInt64();
}

int intAt(SQLite::Statement& row, int column)
{
    const std::int64_t value = int64At(row, column);
    if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
        throw BadRow(
            fmt::format("column '{}' contains {}, which is out of range", row.getColumn(column).getName(), value));
    return static_cast<int>(value);
}

double realAt(SQLite::Statement& row, int column)
{
    const SQLite::Column value = row.getColumn(column);
    if (!value.isFloat() && !value.isInteger())
        badColumn(row, column, "a number");
    return value.getDouble();
}

std::optional<bool> flagAt(SQLite::Statement& row, int column)
{
    if (row.getColumn(column).isNull())
        return std::nullopt;
    return int64At(row, column) != 0;
}

void bindText(SQLite::Statement& statement, int index, std::string_view text)
{
    statement.bind(index, std::string(text));
}

void bindFlag(SQLite::Statement& statement, int index, const std::optional<bool>& flag)
{
    if (flag.has_value())
        statement.bind(index, *flag ? 1 : 0);
    else
        statement.bind(index);
}

std::string listText(const std::vector<double>& values)
{
    std::string text = "[";
    for (const double value : values) {
        if (text.size() > 1)
            text += ',';
        if (std::isnan(value)) {
            text += "null";
        } else if (std::isinf(value)) {
            text += value > 0 ? "1e999" : "-1e999";
        } else {
            char digits[32];
            text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
        }
    }
    return text + "]";
}

// The JSON library refuses 1e999 as out of range, and the list is flat: read it here.
std::vector<double> doublesFromText(const std::string& json)
{
    const auto fail = [&json]() { throw BadRow("expected a list of numbers, got '" + json.substr(0, 40) + "'"); };
    if (json.size() < 2 || json.front() != '[' || json.back() != ']')
        fail();
    std::vector<double> values;
    const char* at = json.data() + 1;
    const char* end = json.data() + json.size() - 1;
    while (at < end) {
        double value = 0.0;
        const std::string_view rest(at, static_cast<std::size_t>(end - at));
        if (rest.starts_with("null")) {
            value = std::numeric_limits<double>::quiet_NaN();
            at += 4;
        } else if (rest.starts_with("1e999")) {
            value = std::numeric_limits<double>::infinity();
            at += 5;
        } else if (rest.starts_with("-1e999")) {
            value = -std::numeric_limits<double>::infinity();
            at += 6;
        } else {
            const auto [stop, error] = std::from_chars(at, end, value);
            if (error != std::errc())
                fail();
            at = stop;
        }
        values.push_back(value);
        if (at < end && (*at++ != ',' || at == end))
            fail();
    }
    return values;
}

std::string listText(const std::vector<std::string>& values)
{
    return nlohmann::json(values).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::string> stringsOf(const std::string& json)
{
    std::vector<std::string> values;
    for (const nlohmann::json& item : listOf(json)) {
        if (!item.is_string())
            throw BadRow("expected a JSON list of strings, got '" + json.substr(0, 40) + "'");
        values.push_back(item.get<std::string>());
    }
    return values;
}

RowChecksum& RowChecksum::add(std::string_view field)
{
    m_bytes += std::to_string(field.size());
    m_bytes += ':';
    m_bytes += field;
    return *this;
}

std::int64_t RowChecksum::value() const
{
    std::uint64_t bits = 0;
    const std::string hex = sha256Hex(m_bytes);
    std::from_chars(hex.data(), hex.data() + 16, bits, 16);
    return static_cast<std::int64_t>(bits >> 1);
}

std::int64_t checksum(const ExampleRecord& example)
{
    RowChecksum sum;
    sum.add(example.hash)
        .add(example.task)
        .add(example.file)
        .add(example.row)
        .add(example.scoring)
        .add(example.context);
    sum.add(listText(example.continuations)).add(example.gold).add(example.extraJson);
    return sum.value();
}

std::optional<bool> onlyFlag(const std::vector<bool>& flags)
{
    return flags.size() == 1 ? std::optional<bool>(flags.front()) : std::nullopt;
}

std::string flagsText(const std::vector<bool>& flags)
{
    std::string text;
    for (std::size_t i = 0; flags.size() > 1 && i < flags.size(); ++i)
        text += flags[i] ? '1' : '0';
    return text;
}

std::vector<bool> flagsOf(const std::optional<bool>& only, const std::string& text)
{
    std::vector<bool> flags;
    if (only.has_value())
        flags.push_back(*only);
    if (!text.empty())
        flags.clear();
    for (const char c : text) {
        if (c != '0' && c != '1')
            throw BadRow("expected a text of 0 and 1, got '" + text.substr(0, 40) + "'");
        flags.push_back(c == '1');
    }
    return flags;
}

std::int64_t checksum(std::string_view seriesIdentity, const ResultRecord& result)
{
    const auto flag = [](const std::optional<bool>& value) { return value.has_value() ? (*value ? 1 : 0) : -1; };
    RowChecksum sum;
    sum.add(seriesIdentity).add(result.exampleHash).add(result.prediction).add(flag(result.correct));
    sum.add(flag(result.correctNorm)).add(flag(onlyFlag(result.greedy))).add(listText(result.logLikelihoods));
    sum.add(result.generated).add(result.rejected);
    if (result.greedy.size() > 1) // rows of schema 4 and before keep their checksum
        sum.add(flagsText(result.greedy));
    return sum.value();
}

} // namespace headscope::sessions
