// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/parquet/parquettable.h"

#include "core/io/quote.h"

namespace headscope::io {

namespace {

std::string dotted(const std::vector<std::string>& path)
{
    std::string text;
    for (const std::string& part : path)
        text += (text.empty() ? "" : ".") + part;
    return text;
}

// The entries of one column, in order over all groups.
class ColumnFiller
{
public:
    ColumnFiller(ParquetColumn& column, std::size_t& left) : m_column(column), m_left(left) {}

    Result<void> take(ParquetEntry&& entry)
    {
        const std::string* const text = std::get_if<std::string>(&entry.value);
        const std::size_t size = sizeof entry.value + (text ? text->size() : 0);
        if (size > m_left)
            return inputError("makes the table larger than can be read");
        m_left -= size;
        if (!m_column.isList) {
            m_column.values.push_back(std::move(entry.value));
            return {};
        }
        if (entry.newRow)
            m_column.ends.push_back(m_column.values.size());
        else if (m_column.ends.empty() || !entry.isElement)
            return inputError("is damaged");
        if (entry.isElement) {
            m_column.values.push_back(std::move(entry.value));
            m_column.ends.back() = m_column.values.size();
        }
        return {};
    }

    [[nodiscard]] std::size_t rows() const { return m_column.isList ? m_column.ends.size() : m_column.values.size(); }

private:
    ParquetColumn& m_column;
    std::size_t& m_left;
};

} // namespace

std::span<const ParquetValue> ParquetColumn::row(std::size_t index) const
{
    const std::size_t begin = !isList      ? index
                              : index == 0 ? 0
                                           : ends[index - 1],
                      end = isList ? ends[index] : index + 1;
    return std::span(values).subspan(begin, end - begin);
}

Result<ParquetTable> ParquetTable::read(std::span<const std::byte> file, const std::string& name, std::size_t limit)
{
    const auto refused = [&](const Error& why) { return inputError(inQuotes(name) + " " + why.message + "."); };
    const auto footer = parseParquetFooter(file);
    if (!footer.has_value())
        return refused(footer.error());
    ParquetTable table;
    table.rows = static_cast<std::size_t>(footer->rows);
    for (std::size_t i = 0; i < footer->leaves.size(); ++i) {
        const ParquetLeaf& leaf = footer->leaves[i];
        ParquetColumn& column = table.columns.emplace_back(ParquetColumn{leaf.path, leaf.repeated > 0, {}, {}});
        const auto inColumn = [&](const Error& why) {
            return inputError(inQuotes(name) + ": the column " + inQuotes(dotted(leaf.path)) + " " + why.message + ".");
        };
        ColumnFiller filler(column, limit);
        std::size_t rows = 0;
        for (const ParquetGroup& group : footer->groups) {
            const auto read = readParquetChunk(file, leaf, group.chunks[i],
                                               [&](ParquetEntry&& entry) { return filler.take(std::move(entry)); });
            if (!read.has_value())
                return inColumn(read.error());
            rows += static_cast<std::size_t>(group.rows);
            if (filler.rows() != rows)
                return inColumn(
                    inputError("has " + std::to_string(filler.rows()) + " values; expected " + std::to_string(rows)));
        }
    }
    return table;
}

} // namespace headscope::io
