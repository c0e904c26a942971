// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/packed/groupedelements.h"

#include "core/io/packed/packedelements.h"

#include <algorithm>
#include <cstring>

namespace headscope::io {

namespace {

std::uint32_t wordAt(std::span<const std::byte> bytes, std::int64_t index)
{
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + static_cast<std::size_t>(index) * sizeof word, sizeof word);
    return word;
}

// Number `i` of a stream of bits whose words are `stride` apart.
std::int32_t ofStream(std::span<const std::byte> bytes, std::int64_t first, std::int64_t stride, int bits,
                      std::int64_t i)
{
    const std::int64_t bit = i * bits, word = first + (bit >> 5) * stride;
    const int shift = static_cast<int>(bit & 31);
    std::uint32_t value = wordAt(bytes, word) >> shift;
    if (shift + bits > 32) // it goes on in the next word
        value |= wordAt(bytes, word + stride) << (32 - shift);
    return static_cast<std::int32_t>(value & ((1U << bits) - 1));
}

// Where each of eight numbers stands in its word.
constexpr int kPlaces[] = {0, 4, 1, 5, 2, 6, 3, 7};

class GroupedElements : public Elements
{
public:
    explicit GroupedElements(GroupedMap map) : m_map(std::move(map)) {}

    void read(std::span<const std::byte>, std::uint64_t first, std::span<std::byte> into) const override
    {
        const auto inputs = static_cast<std::uint64_t>(m_map.inputs);
        const std::uint64_t count = into.size() / sizeof(float);
        Row row(m_map);
        for (std::uint64_t i = 0; i < count;) { // what is asked for of one row at a time
            const std::uint64_t element = first + i, column = element % inputs;
            const std::uint64_t run = std::min(inputs - column, count - i);
            row.read(static_cast<std::int64_t>(element / inputs), static_cast<std::int64_t>(column),
                     into.subspan(static_cast<std::size_t>(i) * sizeof(float),
                                  static_cast<std::size_t>(run) * sizeof(float)));
            i += run;
        }
    }

private:
    /// The numbers of one output, and the room to make them in.
    class Row
    {
    public:
        explicit Row(const GroupedMap& map) : m_map(map) {}
        void read(std::int64_t output, std::int64_t first, std::span<std::byte> into)
        {
            readGroups(output / m_map.groupOutputs);
            const std::size_t count = into.size() / sizeof(float);
            m_codes.resize(count);
            if (m_map.turned)
                m_map.codes.read(first, output, 1, 0, m_codes);
            else
                m_map.codes.read(output, first, 0, 1, m_codes);
            m_values.resize(count);
            for (std::size_t i = 0; i < count;) { // a group at a time, or a single input where any may be next
                const std::int64_t input = first + static_cast<std::int64_t>(i);
                const std::size_t group = m_map.groupOfInput ? wordAt(m_map.groupOfInput->bytes, input)
                                                             : static_cast<std::size_t>(input / m_map.groupInputs);
                const std::size_t run =
                    m_map.groupOfInput ? 1 : static_cast<std::size_t>(m_map.groupInputs - input % m_map.groupInputs);
                const std::int32_t zero = m_zeros[group];
                const float scale = m_scales[group];
                for (const std::size_t end = std::min(count, i + run); i < end; ++i)
                    m_values[i] = static_cast<float>(m_codes[i] - zero) * scale;
            }
            std::memcpy(into.data(), m_values.data(), into.size());
        }

    private:
        void readGroups(std::int64_t row)
        {
            if (row == m_row)
                return;
            m_row = row;
            const auto groups = static_cast<std::size_t>(m_map.groups);
            m_zeros.assign(groups, 0);
            if (m_map.zeros && m_map.turned)
                m_map.zeros->read(0, row, 1, 0, m_zeros);
            else if (m_map.zeros)
                m_map.zeros->read(row, 0, 0, 1, m_zeros);
            m_scales.resize(groups);
            for (std::size_t group = 0; group < groups; ++group) {
                const auto g = static_cast<std::int64_t>(group);
                const std::int64_t at = m_map.turned ? g * m_map.outputs + row : row * m_map.groups + g;
                m_scales[group] = factorAt(m_map.scales, static_cast<std::uint64_t>(at)) * m_map.factor;
            }
        }

        const GroupedMap& m_map;
        std::int64_t m_row = -1; ///< that the next two are of
        std::vector<std::int32_t> m_zeros;
        std::vector<float> m_scales;
        std::vector<std::int32_t> m_codes;
        std::vector<float> m_values;
    };

    GroupedMap m_map;
};

class CodebookElements : public Elements
{
public:
    explicit CodebookElements(CodebookMap map) : m_map(std::move(map)) {}

    void read(std::span<const std::byte> stored, std::uint64_t first, std::span<std::byte> into) const override
    {
        const std::uint64_t count = into.size() / sizeof(float), block = static_cast<std::uint64_t>(m_map.block);
        for (std::uint64_t i = 0; i < count;) { // a block at a time
            const std::uint64_t element = first + i, run = std::min(block - element % block, count - i);
            const float size = sizeOf(element / block);
            for (std::uint64_t k = 0; k < run; ++k) {
                const auto byte = std::to_integer<std::uint8_t>(stored[static_cast<std::size_t>((element + k) / 2)]);
                const float value = m_map.values[(element + k) % 2 == 0 ? byte >> 4 : byte & 15] * size;
                std::memcpy(into.data() + (i + k) * sizeof(float), &value, sizeof value);
            }
            i += run;
        }
    }

private:
    [[nodiscard]] float sizeOf(std::uint64_t block) const
    {
        if (m_map.sizeValues.empty())
            return factorAt(m_map.sizes, block);
        const auto code = std::to_integer<std::uint8_t>(m_map.sizes.bytes[static_cast<std::size_t>(block)]);
        const float scaled =
            m_map.sizeValues[code] * factorAt(m_map.sizeFactors, block / static_cast<std::uint64_t>(m_map.sizeBlock));
        return scaled + m_map.sizeOffset;
    }

    CodebookMap m_map;
};

} // namespace

void Codes::read(std::int64_t row, std::int64_t column, std::int64_t down, std::int64_t right,
                 std::span<std::int32_t> into) const
{
    const auto each = [&](auto number) {
        for (std::size_t i = 0; i < into.size(); ++i) {
            const auto step = static_cast<std::int64_t>(i);
            into[i] = number(row + step * down, column + step * right) + offset;
        }
    };
    const std::span<const std::byte> bytes = stored.bytes;
    switch (layout) {
    case Layout::AlongRows:
        return each([&](std::int64_t r, std::int64_t c) { return ofStream(bytes, r * width, 1, bits, c); });
    case Layout::AlongColumns:
        return each([&](std::int64_t r, std::int64_t c) { return ofStream(bytes, c, width, bits, r); });
    case Layout::Interleaved:
        return each([&](std::int64_t r, std::int64_t c) {
            return static_cast<std::int32_t>(wordAt(bytes, r * width + c / 8) >> (4 * kPlaces[c % 8]) & 15);
        });
    case Layout::Bytes:
        return each([&](std::int64_t r, std::int64_t c) {
            return std::int32_t{static_cast<std::int8_t>(bytes[static_cast<std::size_t>(r * width + c)])};
        });
    }
}

TensorView groupedView(const TensorView& stored, GroupedMap map)
{
    TensorView view = stored;
    view.info.dtype = Dtype::F32;
    view.info.shape = {map.outputs, map.inputs};
    view.elements = std::make_shared<GroupedElements>(std::move(map));
    return view;
}

TensorView codebookView(const TensorView& stored, std::vector<std::int64_t> shape, CodebookMap map)
{
    TensorView view = stored;
    view.info.dtype = Dtype::F32;
    view.info.shape = std::move(shape);
    view.elements = std::make_shared<CodebookElements>(std::move(map));
    return view;
}

} // namespace headscope::io
