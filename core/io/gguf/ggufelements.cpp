// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/gguf/ggufelements.h"

#include "core/io/gguf/blocks.h"
#include "core/io/textfiles/quote.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

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

/// Where the file has row (or column) i: behind the first `skip`, in each block of outer x inner x unit, the file swaps
/// outer and inner.
struct Order {
    std::uint64_t skip = 0, outer = 1, inner = 1, unit = 1;

    [[nodiscard]] std::uint64_t inFile(std::uint64_t i) const
    {
        if (i < skip)
            return i;
        const std::uint64_t at = (i - skip) % (outer * inner * unit), place = at / unit;
        return i - at + (place % inner * outer + place / inner) * unit + at % unit;
    }
    /// Returns how many from i on follow each other in the file, if it changes anything.
    [[nodiscard]] std::uint64_t run(std::uint64_t i) const { return i < skip ? skip - i : unit - (i - skip) % unit; }
    [[nodiscard]] bool changes() const { return outer > 1 && inner > 1; }
};

/// In the order of the file, but for rows and columns of heads, and for what is done to each number.
class RowElements : public Elements
{
public:
    RowElements(Rows rows, Order order, Order columns, Change change)
        : m_rows(rows), m_order(order), m_columns(columns), m_change(change)
    {
    }

    void read(std::span<const std::byte> stored, std::uint64_t first, std::span<std::byte> into) const override
    {
        std::vector<float> room, whole;
        const std::span<float> values = floats(into, room);
        for (std::size_t done = 0; done < values.size();) {
            const std::uint64_t row = m_order.inFile((first + done) / m_rows.rowElements),
                                column = (first + done) % m_rows.rowElements;
            const std::size_t now = std::min<std::size_t>(m_rows.rowElements - column, values.size() - done);
            if (m_columns.changes()) {
                whole.resize(m_rows.rowElements);
                m_rows.read(stored, row, 0, whole);
                for (std::size_t i = 0, run = 0; i < now; i += run) {
                    run = std::min<std::size_t>(now - i, m_columns.run(column + i));
                    std::copy_n(whole.data() + m_columns.inFile(column + i), run, values.data() + done + i);
                }
            } else
                m_rows.read(stored, row, column, values.subspan(done, now));
            done += now;
        }
        for (float& value : values)
            value = original(value);
        std::memcpy(into.data(), values.data(), into.size());
    }

private:
    [[nodiscard]] float original(float value) const
    {
        return m_change == Change::OneAdded ? value - 1 : m_change == Change::MinusExp ? std::log(-value) : value;
    }

    Rows m_rows;
    Order m_order, m_columns;
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

/// Of `size` rows or columns, the last of which are of value heads; nothing where they cannot be.
std::optional<Order> valueOrder(std::int64_t size, const GgufHeads& heads)
{
    if (heads.groups < 1 || heads.values < 1 || heads.values % heads.groups != 0 || heads.elements % heads.values != 0)
        return {};
    const std::int64_t unit = size == heads.values ? 1 : heads.elements / heads.values, all = unit * heads.values;
    if (unit < 1 || size < all)
        return {};
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    return Order{number(size - all), number(heads.groups), number(heads.values / heads.groups), number(unit)};
}

} // namespace

Result<GgufView> viewOf(const GgufTensor& tensor, GgufOriginal original, const GgufHeads& heads)
{
    GgufView view;
    const Change change = original.change;
    view.info = {std::move(original.name), Dtype::F32, shapeOf(tensor.shape, change, heads.rotating), tensor.begin,
                 tensor.end};
    const bool byValue = original.valueHeads != GgufValueHeads::None,
               columns = original.valueHeads == GgufValueHeads::Columns;
    std::optional<Order> order;
    if (!byValue)
        order = Order();
    else if (tensor.shape.size() == 1 || tensor.shape.size() == 2)
        order = valueOrder(columns ? tensor.shape.back() : tensor.shape.front(), heads);
    if (view.info.shape.empty() || !order)
        return inputError("its tensor " + inQuotes(tensor.name) + " has a shape that its architecture does not have");
    const bool turned = change == Change::RotaryRows;
    const bool reordered = turned || change == Change::Transposed || order->changes();
    const bool computed = change == Change::OneAdded || change == Change::MinusExp;
    if (const auto plain = plainType(tensor.type); plain && !reordered && !computed) {
        view.info.dtype = *plain;
        return view;
    }
    if (product(tensor.shape) == 0)
        return view;
    const Rows rows{tensor.type, static_cast<std::uint64_t>(tensor.shape.back())};
    // A list of numbers that is reordered is a column: each number is a row.
    const bool list = tensor.shape.size() == 1 && reordered;
    if (list && blockElements(tensor.type) > 1)
        return inputError("its tensor " + inQuotes(tensor.name)
                          + " is a list stored in blocks; expected single numbers (F32, F16, BF16 or F64)");
    const Rows used = list ? Rows{tensor.type, 1} : rows;
    const auto rowCount = static_cast<std::uint64_t>(product(tensor.shape)) / used.rowElements;
    if (change == Change::Transposed)
        view.elements = std::make_shared<TransposedElements>(used, rowCount);
    else {
        Order byRow = columns ? Order() : *order;
        if (turned)
            byRow = {0, 2, rowCount / static_cast<std::uint64_t>(heads.rotating) / 2, 1};
        view.elements = std::make_shared<RowElements>(used, byRow, columns ? *order : Order(), change);
    }
    return view;
}

} // namespace headscope::io
