// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/parquet/parquettable.h"

#include "core/io/textfiles/quote.h"

#include <algorithm>

namespace headscope::io {

namespace {

std::string dotted(const std::vector<std::string>& path)
{
    std::string text;
    for (const std::string& part : path)
        text += (text.empty() ? "" : ".") + part;
    return text;
}

// Bytes that a value takes here and, as JSON, in the rows of a task; and what a file may take: a run of a few bytes can
// stand for any number of values, so memory is bounded by the size of the file too.
constexpr std::size_t kOfAValue = 256, kOfAnyFile = std::size_t{64} << 20, kOfEachByte = 1000;

/// Whether the table of contents promises no more values than fit `most` bytes.
bool fits(const ParquetFooter& footer, std::size_t most)
{
    std::uint64_t values = 0;
    for (const ParquetGroup& group : footer.groups)
        for (const ParquetChunk& chunk : group.chunks)
            if (values += static_cast<std::uint64_t>(std::max(group.rows, chunk.values)); values > most / kOfAValue)
                return false;
    return true;
}

// The entries of one column, in order over all groups.
class ColumnFiller
{
public:
    ColumnFiller(ParquetColumn& column, std::size_t& left) : m_column(column), m_left(left) {}

    Result<void> take(ParquetEntry&& entry)
    {
        const std::string* const text = std::get_if<std::string>(&entry.value);
        const std::size_t size = kOfAValue + (text ? text->size() : 0);
        if (size > m_left)
            return inputError("makes the table larger than a file of this size may");
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
    if (file.size() < limit / kOfEachByte)
        limit = std::min(limit, kOfAnyFile + file.size() * kOfEachByte);
    if (!fits(*footer, limit))
        return refused(inputError("would take more than " + std::to_string(limit >> 20)
                                  + " MB of memory, too much for a file of " + std::to_string(file.size()) + " bytes"));
    ParquetTable table;
    table.rows = static_cast<std::size_t>(footer->rows);
    std::size_t left = limit;
    for (std::size_t i = 0; i < footer->leaves.size(); ++i) {
        const ParquetLeaf& leaf = footer->leaves[i];
        ParquetColumn& column = table.columns.emplace_back(ParquetColumn{leaf.path, leaf.repeated > 0, {}, {}});
        const auto inColumn = [&](const Error& why) {
            return inputError(inQuotes(name) + ": the column " + inQuotes(dotted(leaf.path)) + " " + why.message + ".");
        };
        ColumnFiller filler(column, left);
        std::size_t rows = 0;
        for (const ParquetGroup& group : footer->groups) {
            const auto read = readParquetChunk(file, leaf, group.chunks[i], limit,
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
