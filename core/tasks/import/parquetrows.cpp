// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/parquet/parquettable.h"
#include "core/tasks/import/rows.h"
#include "core/tasks/python/pytext.h"

#include <nlohmann/json.hpp>

namespace headscope::tasks {

namespace {

using nlohmann::json;

json toJson(const io::ParquetValue& value)
{
    return std::visit(
        [](const auto& v) -> json {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
                return nullptr;
            else
                return v;
        },
        value);
}

bool isSound(const io::ParquetValue& value)
{
    const auto* const text = std::get_if<std::string>(&value);
    return !text || findInvalidUtf8(*text) == std::string_view::npos;
}

// The member of `row` that a path leads to; null where a member on the way is no object.
json* placeOf(json& row, const std::vector<std::string>& path)
{
    json* at = &row;
    for (const std::string& part : path) {
        if (!at->is_null() && !at->is_object())
            return nullptr;
        at = &(*at)[part];
    }
    return at;
}

} // namespace

Result<Rows> parquetRows(std::string_view bytes, const std::string& file)
{
    const auto table = io::ParquetTable::read(std::as_bytes(std::span(bytes)), file);
    if (!table.has_value())
        return table.error();
    Rows rows;
    for (std::size_t i = 0; i < table->rows; ++i) {
        const int record = rows.read++;
        Row row{record, record + 1, record + 1, json::object()};
        const io::ParquetColumn* unreadable = nullptr;
        for (const io::ParquetColumn& column : table->columns) {
            const auto values = column.row(i);
            if (!std::all_of(values.begin(), values.end(), isSound))
                unreadable = &column;
            json* const place = unreadable ? nullptr : placeOf(row.value, column.path);
            if (!place)
                continue;
            if (!column.isList) {
                *place = toJson(values.front());
                continue;
            }
            *place = json::array();
            for (const io::ParquetValue& value : values)
                place->push_back(toJson(value));
        }
        if (unreadable)
            rows.rejected.push_back({file,
                                     row.firstLine,
                                     row.lastLine,
                                     record,
                                     {},
                                     "bad_utf8",
                                     excerpt(unreadable->path.empty() ? "" : unreadable->path.back(), 60),
                                     "The text is not valid UTF-8.",
                                     {}});
        else
            rows.rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace headscope::tasks
