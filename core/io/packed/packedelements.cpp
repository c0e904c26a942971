// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/packed/packedelements.h"

#include "core/io/floats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace headscope::io {

namespace {

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

// A number of one byte with so many bits of fraction; what the largest exponent means is the caller's affair.
float ofByte(std::uint8_t byte, int fractionBits, int bias)
{
    const int fraction = byte & ((1 << fractionBits) - 1), exponent = (byte & 0x7f) >> fractionBits;
    const float size =
        exponent == 0 ? std::ldexp(static_cast<float>(fraction), 1 - bias - fractionBits)
                      : std::ldexp(static_cast<float>(fraction + (1 << fractionBits)), exponent - bias - fractionBits);
    return (byte & 0x80) != 0 ? -size : size;
}

std::array<float, 256> tableOf(float (*number)(std::uint8_t))
{
    std::array<float, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i)
        table[i] = number(static_cast<std::uint8_t>(i));
    return table;
}

std::uint8_t byteAt(std::span<const std::byte> bytes, std::uint64_t index)
{
    return std::to_integer<std::uint8_t>(bytes[static_cast<std::size_t>(index)]);
}

const std::array<float, 256>& fp8Table(bool e4m3)
{
    static const std::array<float, 256> kE4m3 = tableOf(fromE4m3), kE5m2 = tableOf(fromE5m2);
    return e4m3 ? kE4m3 : kE5m2;
}

class Fp8Numbers : public Elements
{
public:
    explicit Fp8Numbers(bool e4m3) : m_table(fp8Table(e4m3)) {}
    void read(std::span<const std::byte> stored, std::uint64_t first, std::span<std::byte> into) const override
    {
        for (std::uint64_t i = 0; i < into.size() / sizeof(float); ++i)
            std::memcpy(into.data() + i * sizeof(float), &m_table[byteAt(stored, first + i)], sizeof(float));
    }

private:
    const std::array<float, 256>& m_table;
};

class Fp8Elements : public Elements
{
public:
    Fp8Elements(const TensorView& factors, bool e4m3, std::int64_t rows, std::int64_t columns, std::int64_t factorRows,
                std::int64_t factorColumns, BlockSize block)
        : m_factors(factors), m_e4m3(e4m3), m_rows(rows), m_columns(columns), m_factorRows(factorRows),
          m_factorColumns(factorColumns), m_block(block)
    {
    }
    void read(std::span<const std::byte> stored, std::uint64_t first, std::span<std::byte> into) const override
    {
        const std::array<float, 256>& table = fp8Table(m_e4m3);
        const std::uint64_t count = into.size() / sizeof(float);
        const auto columns = static_cast<std::uint64_t>(m_columns), rows = static_cast<std::uint64_t>(m_rows);
        for (std::uint64_t i = 0; i < count;) { // a run of one row and one block at a time
            const std::uint64_t element = first + i, row = element / columns, column = element % columns;
            const std::uint64_t blockColumn = column / static_cast<std::uint64_t>(m_block.columns);
            const std::uint64_t next =
                std::min((blockColumn + 1) * static_cast<std::uint64_t>(m_block.columns), columns);
            const std::uint64_t run = std::min(next - column, count - i);
            const float factor = factorAt(m_factors, (row / rows * static_cast<std::uint64_t>(m_factorRows)
                                                      + row % rows / static_cast<std::uint64_t>(m_block.rows))
                                                             * static_cast<std::uint64_t>(m_factorColumns)
                                                         + blockColumn);
            for (std::uint64_t k = 0; k < run; ++k) {
                const float value = table[byteAt(stored, element + k)] * factor;
                std::memcpy(into.data() + (i + k) * sizeof(float), &value, sizeof value);
            }
            i += run;
        }
    }

private:
    TensorView m_factors;
    bool m_e4m3;
    std::int64_t m_rows, m_columns, m_factorRows, m_factorColumns;
    BlockSize m_block;
};

class Mxfp4Elements : public Elements
{
public:
    Mxfp4Elements(const TensorView& scales, std::int64_t rows, std::int64_t groups)
        : m_scales(scales), m_rows(static_cast<std::uint64_t>(rows)), m_groups(static_cast<std::uint64_t>(groups))
    {
    }
    void read(std::span<const std::byte> stored, std::uint64_t first, std::span<std::byte> into) const override
    {
        for (std::uint64_t i = 0; i < into.size() / sizeof(float); ++i) {
            const std::uint64_t element = first + i, row = element % m_rows, rest = element / m_rows;
            const std::uint64_t column = rest % (32 * m_groups), expert = rest / (32 * m_groups);
            const std::uint64_t block = (expert * m_rows + row) * m_groups + column / 32;
            const std::uint8_t byte = byteAt(stored, block * 16 + column % 32 / 2);
            const float value =
                fromE2m1(column % 2 == 0 ? byte & 0xf : byte >> 4) * fromE8m0(byteAt(m_scales.bytes, block));
            std::memcpy(into.data() + i * sizeof(float), &value, sizeof value);
        }
    }

private:
    TensorView m_scales;
    std::uint64_t m_rows, m_groups;
};

Error unfit(const TensorView& weight, const TensorView& beside)
{
    return inputError("Tensor '" + weight.info.name + "' of shape " + shapeText(weight.info.shape)
                      + " does not match its factors '" + beside.info.name + "' of shape "
                      + shapeText(beside.info.shape) + ".");
}

} // namespace

bool isFactorType(Dtype type)
{
    return type == Dtype::F32 || type == Dtype::F16 || type == Dtype::BF16;
}

float factorAt(const TensorView& factors, std::uint64_t index)
{
    const auto bits16 = [&] {
        std::uint16_t bits = 0;
        std::memcpy(&bits, factors.bytes.data() + 2 * index, sizeof bits);
        return bits;
    };
    switch (factors.info.dtype) {
    case Dtype::F32: {
        float value = 0;
        std::memcpy(&value, factors.bytes.data() + 4 * index, sizeof value);
        return value;
    }
    case Dtype::F16: return fromHalf(bits16());
    case Dtype::BF16: return fromBrain(bits16());
    default: return fromE8m0(byteAt(factors.bytes, index));
    }
}

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + "]";
}

float fromE4m3(std::uint8_t byte)
{
    return (byte & 0x7f) == 0x7f ? kNotANumber : ofByte(byte, 3, 7);
}

float fromE5m2(std::uint8_t byte)
{
    if ((byte & 0x7c) != 0x7c)
        return ofByte(byte, 2, 15);
    const float infinity = std::numeric_limits<float>::infinity();
    return (byte & 3) != 0 ? kNotANumber : (byte & 0x80) != 0 ? -infinity : infinity;
}

float fromE2m1(std::uint8_t bits)
{
    static constexpr float kSizes[] = {0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
    return (bits & 8) != 0 ? -kSizes[bits & 7] : kSizes[bits & 7];
}

Result<TensorView> fp8View(const TensorView& weight, const TensorView& factors, BlockSize block)
{
    const bool e4m3 = weight.info.dtype == Dtype::F8_E4M3;
    const Dtype type = factors.info.dtype;
    const std::vector<std::int64_t>& shape = weight.info.shape;
    if ((!e4m3 && weight.info.dtype != Dtype::F8_E5M2) || !weight.plain() || !factors.plain() || shape.size() < 2
        || (!isFactorType(type) && type != Dtype::F8_E8M0 && type != Dtype::U8))
        return unfit(weight, factors);
    std::vector<std::int64_t> grid = factors.info.shape;
    const std::int64_t rows = shape[shape.size() - 2], columns = shape.back();
    std::uint64_t count = 1;
    for (const std::int64_t size : grid)
        count *= static_cast<std::uint64_t>(size);
    if (rows < 1 || columns < 1)
        return unfit(weight, factors);
    if (count == 1) { // one factor for all
        block = {rows, columns};
        grid.assign(shape.size(), 1);
        if (shape.size() > 2 && weight.size() > 0 && shape[0] != 1)
            return unfit(weight, factors);
    }
    if (grid.size() != shape.size() || block.rows < 1 || block.columns < 1
        || !std::equal(shape.begin(), shape.end() - 2, grid.begin()))
        return unfit(weight, factors);
    const std::int64_t factorRows = grid[grid.size() - 2], factorColumns = grid.back();
    if (factorRows != (rows + block.rows - 1) / block.rows
        || factorColumns != (columns + block.columns - 1) / block.columns)
        return unfit(weight, factors);
    TensorView view = weight;
    view.info.dtype = Dtype::F32;
    view.elements = std::make_shared<Fp8Elements>(factors, e4m3, rows, columns, factorRows, factorColumns, block);
    return view;
}

TensorView fp8View(const TensorView& weight)
{
    TensorView view = weight;
    view.info.dtype = Dtype::F32;
    view.elements = std::make_shared<Fp8Numbers>(weight.info.dtype == Dtype::F8_E4M3);
    return view;
}

Result<TensorView> mxfp4View(const TensorView& blocks, const TensorView& scales)
{
    const std::vector<std::int64_t>& shape = blocks.info.shape;
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    if (shape.size() != 4 || shape[3] != 16 || shape[2] < 1 || shape[2] > kMost || blocks.info.dtype != Dtype::U8
        || scales.info.dtype != Dtype::U8 || !blocks.plain() || !scales.plain()
        || !std::equal(scales.info.shape.begin(), scales.info.shape.end(), shape.begin(), shape.end() - 1))
        return unfit(blocks, scales);
    TensorView view = blocks;
    view.info.dtype = Dtype::F32;
    view.info.shape = {shape[0], 32 * shape[2], shape[1]};
    view.elements = std::make_shared<Mxfp4Elements>(scales, shape[1], shape[2]);
    return view;
}

} // namespace headscope::io
