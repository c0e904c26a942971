// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/gguf/ggufelements.h"

#include "core/io/gguf/blocks.h"
#include "core/io/textfiles/quote.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>

namespace headscope::io {

namespace {

using Change = GgufChange;

constexpr std::size_t kLargestBlock = 256;

/// Rows of whole blocks, one behind the other.
struct Rows {
    GgmlType type = GgmlType::F32;
    std::uint64_t rowElements = 1;

    /// Columns from `first` on of one row.
    void read(std::span<const std::byte> stored, std::uint64_t row, std::uint64_t first, std::span<float> into) const
    {
        const std::size_t elements = blockElements(type), bytes = blockBytes(type);
        std::array<float, kLargestBlock> block;
        const std::uint64_t rowBlocks = rowElements / elements;
        for (std::size_t done = 0; done < into.size();) {
            const std::uint64_t column = first + done;
            decodeBlock(type, stored.data() + (row * rowBlocks + column / elements) * bytes, block.data());
            const std::size_t skip = column % elements, now = std::min(elements - skip, into.size() - done);
            std::copy_n(block.data() + skip, now, into.data() + done);
            done += now;
        }
    }
};

std::span<float> floats(std::span<std::byte> bytes, std::vector<float>& room)
{
    room.resize(bytes.size() / sizeof(float));
    return room;
}

/// In the order of the file, but for the rows of heads that rotate, and for what is done to each number.
class RowElements : public Elements
{
public:
    RowElements(Rows rows, std::uint64_t rowCount, std::uint64_t heads, Change change)
        : m_rows(rows), m_headRows(heads == 0 ? 0 : rowCount / heads), m_change(change)
    {
    }

    void read(std::span<const std::byte> stored, std::uint64_t first, std::span<std::byte> into) const override
    {
        std::vector<float> room;
        const std::span<float> values = floats(into, room);
        for (std::size_t done = 0; done < values.size();) {
            const std::uint64_t row = (first + done) / m_rows.rowElements, column = (first + done) % m_rows.rowElements;
            const std::size_t now = std::min<std::size_t>(m_rows.rowElements - column, values.size() - done);
            m_rows.read(stored, rowInFile(row), column, values.subspan(done, now));
            done += now;
        }
        for (float& value : values)
            value = original(value);
        std::memcpy(into.data(), values.data(), into.size());
    }

private:
    /// Head h, half i, place j here is head h, place j, half i there.
    [[nodiscard]] std::uint64_t rowInFile(std::uint64_t row) const
    {
        if (m_headRows == 0)
            return row;
        const std::uint64_t within = row % m_headRows, half = m_headRows / 2;
        return row - within + within % half * 2 + within / half;
    }
    [[nodiscard]] float original(float value) const
    {
        return m_change == Change::OneAdded ? value - 1 : m_change == Change::MinusExp ? std::log(-value) : value;
    }

    Rows m_rows;
    std::uint64_t m_headRows;
    Change m_change;
};

/// [columns, rows] of what the file has as [rows, columns].
class TransposedElements : public Elements
{
public:
    TransposedElements(Rows rows, std::uint64_t rowCount) : m_rows(rows), m_rowCount(rowCount) {}

    void read(std::span<const std::byte> stored, std::uint64_t first, std::span<std::byte> into) const override
    {
        std::vector<float> room, line;
        const std::span<float> values = floats(into, room);
        // Whole columns of the file that the piece touches, a row of the file at a time.
        const std::uint64_t from = first / m_rowCount, to = (first + values.size() + m_rowCount - 1) / m_rowCount;
        line.resize(to - from);
        for (std::uint64_t row = 0; row < m_rowCount; ++row) {
            m_rows.read(stored, row, from, line);
            for (std::uint64_t column = from; column < to; ++column)
                if (const std::uint64_t at = column * m_rowCount + row; at >= first && at - first < values.size())
                    values[at - first] = line[column - from];
        }
        std::memcpy(into.data(), values.data(), into.size());
    }

private:
    Rows m_rows;
    std::uint64_t m_rowCount;
};

std::optional<Dtype> plainType(GgmlType type)
{
    switch (type) {
    case GgmlType::F32: return Dtype::F32;
    case GgmlType::F16: return Dtype::F16;
    case GgmlType::BF16: return Dtype::BF16;
    case GgmlType::F64: return Dtype::F64;
    default: return {};
    }
}

std::int64_t product(const std::vector<std::int64_t>& sizes)
{
    std::int64_t all = 1;
    for (const std::int64_t size : sizes)
        all *= size; // fits: ggmlBytes() was asked
    return all;
}

/// The shape of the original; empty where the change does not fit this one. (No tensor here is a scalar.)
std::vector<std::int64_t> shapeOf(std::vector<std::int64_t> shape, Change change, std::int64_t heads)
{
    switch (change) {
    case Change::RotaryRows:
        return shape.empty() || heads < 1 || shape[0] % heads != 0 || shape[0] / heads % 2 != 0
                   ? std::vector<std::int64_t>()
                   : shape;
    case Change::Transposed:
        if (shape.size() != 2)
            return {};
        std::swap(shape[0], shape[1]);
        return shape;
    case Change::MiddleOne:
        if (shape.size() != 2)
            return {};
        shape.insert(shape.begin() + 1, 1);
        return shape;
    case Change::OneDimension: return {product(shape)};
    case Change::OneRow: return {1, product(shape)};
    case Change::MinusExp: // Mamba-2's is a number for each head
        if (shape.size() == 2 && shape[1] == 1)
            shape.pop_back();
        return shape;
    default: return shape;
    }
}

} // namespace

Result<GgufView> viewOf(const GgufTensor& tensor, GgufOriginal original, std::int64_t heads)
{
    GgufView view;
    const Change change = original.change;
    view.info = {std::move(original.name), Dtype::F32, shapeOf(tensor.shape, change, heads), tensor.begin, tensor.end};
    if (view.info.shape.empty())
        return inputError("its tensor " + inQuotes(tensor.name) + " has a shape that its architecture does not have");
    const bool reordered = change == Change::RotaryRows || change == Change::Transposed;
    const bool computed = change == Change::OneAdded || change == Change::MinusExp;
    if (const auto plain = plainType(tensor.type); plain && !reordered && !computed) {
        view.info.dtype = *plain;
        return view;
    }
    if (product(tensor.shape) == 0)
        return view;
    const Rows rows{tensor.type, static_cast<std::uint64_t>(tensor.shape.back())};
    // A list of numbers that rotates is a column: each number is a row.
    const bool list = tensor.shape.size() == 1 && change == Change::RotaryRows && blockElements(tensor.type) == 1;
    const Rows used = list ? Rows{tensor.type, 1} : rows;
    const auto rowCount = static_cast<std::uint64_t>(product(tensor.shape)) / used.rowElements;
    if (change == Change::Transposed)
        view.elements = std::make_shared<TransposedElements>(used, rowCount);
    else
        view.elements = std::make_shared<RowElements>(
            used, rowCount, change == Change::RotaryRows ? static_cast<std::uint64_t>(heads) : 0, change);
    return view;
}

} // namespace headscope::io
