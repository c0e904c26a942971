// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/packed/groupedelements.h"

#include "core/io/packed/packedelements.h"

#include <algorithm>
#include <cstring>

namespace headscope::io {

namespace {

std::uint32_t wordAt(const std::byte* words, std::int64_t index)
{
    std::uint32_t word = 0;
    std::memcpy(&word, words + index * static_cast<std::int64_t>(sizeof word), sizeof word);
    return word;
}

// Numbers of at most 8 bits from number `first` of a stream on: each is within two bytes.
void readAlong(std::span<const std::byte> stream, std::int64_t first, int bits, int offset,
               std::span<std::int32_t> into)
{
    const int mask = (1 << bits) - 1;
    std::int64_t bit = first * bits;
    for (std::int32_t& number : into) {
        const auto at = static_cast<std::size_t>(bit >> 3);
        const int low = std::to_integer<int>(stream[at]);
        const int high = at + 1 < stream.size() ? std::to_integer<int>(stream[at + 1]) : 0;
        number = ((low | high << 8) >> (bit & 7) & mask) + offset;
        bit += bits;
    }
}

// Number `i` of adjacent streams whose words are `stride` apart.
void readAcross(const std::byte* words, std::int64_t i, std::int64_t stride, int bits, int offset,
                std::span<std::int32_t> into)
{
    const std::int64_t bit = i * bits, word = (bit >> 5) * stride;
    const int shift = static_cast<int>(bit & 31);
    const std::uint32_t mask = (1U << bits) - 1;
    const auto count = static_cast<std::int64_t>(into.size());
    std::int32_t* const numbers = into.data();
    if (shift + bits <= 32)
        for (std::int64_t k = 0; k < count; ++k)
            numbers[k] = static_cast<std::int32_t>(wordAt(words, word + k) >> shift & mask) + offset;
    else // it goes on in the next word
        for (std::int64_t k = 0; k < count; ++k)
            numbers[k] =
                static_cast<std::int32_t>(
                    (wordAt(words, word + k) >> shift | wordAt(words, word + stride + k) << (32 - shift)) & mask)
                + offset;
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
        Part part(m_map);
        for (std::uint64_t i = 0; i < count;) { // the rest of a row, or as many rows as are asked for
            const std::uint64_t element = first + i, column = element % inputs;
            const std::uint64_t rows = column == 0 ? std::max<std::uint64_t>((count - i) / inputs, 1) : 1;
            const std::uint64_t run = std::min(inputs - column, count - i);
            part.read({static_cast<std::int64_t>(element / inputs), static_cast<std::int64_t>(rows),
                       static_cast<std::int64_t>(column), static_cast<std::int64_t>(run)},
                      into.data() + i * sizeof(float));
            i += rows * run;
        }
    }

private:
    struct Range {
        std::int64_t output, outputs, input, inputs;
    };

    /// Numbers of some outputs and inputs, and the memory for computing them.
    class Part
    {
    public:
        explicit Part(const GroupedMap& map) : m_map(map) {}
        void read(const Range& range, std::byte* into)
        {
            if (m_map.turned)
                return readTurned(range, into);
            for (std::int64_t row = 0; row < range.outputs; ++row)
                readRow({range.output + row, 1, range.input, range.inputs},
                        into + static_cast<std::size_t>(row * range.inputs) * sizeof(float));
        }

    private:
        void readRow(const Range& range, std::byte* into)
        {
            readGroups(range.output / m_map.groupOutputs);
            m_codes.resize(static_cast<std::size_t>(range.inputs));
            m_values.resize(m_codes.size());
            m_map.codes.read(range.output, range.input, m_codes);
            for (std::size_t i = 0; i < m_codes.size();) { // a group at a time, or a single input where any may be next
                const std::int64_t input = range.input + static_cast<std::int64_t>(i);
                const auto group = static_cast<std::size_t>(groupOf(input));
                const std::size_t run =
                    m_map.groupOfInput ? 1 : static_cast<std::size_t>(m_map.groupInputs - input % m_map.groupInputs);
                const std::int32_t zero = m_zeros[group];
                const float scale = m_scales[group];
                for (const std::size_t end = std::min(m_codes.size(), i + run); i < end; ++i)
                    m_values[i] = static_cast<float>(m_codes[i] - zero) * scale;
            }
            std::memcpy(into, m_values.data(), m_values.size() * sizeof(float));
        }

        // The outputs are adjacent in the file: they are read input by input, and turned some inputs at a time.
        void readTurned(const Range& range, std::byte* into)
        {
            constexpr std::int64_t kMost = 32;
            const std::int64_t together = std::min(kMost, range.inputs);
            const auto outputs = static_cast<std::size_t>(range.outputs), width = static_cast<std::size_t>(together);
            readTurnedGroups(range);
            m_codes.resize(outputs);
            m_values.resize(outputs * width);
            for (std::int64_t from = 0; from < range.inputs; from += together) {
                const std::int64_t now = std::min(together, range.inputs - from);
                for (std::int64_t i = 0; i < now; ++i) {
                    const std::int64_t input = range.input + from + i;
                    m_map.codes.read(input, range.output, m_codes);
                    const std::size_t group = static_cast<std::size_t>(groupOf(input)) * outputs;
                    for (std::size_t o = 0; o < outputs; ++o)
                        m_values[o * width + static_cast<std::size_t>(i)] =
                            static_cast<float>(m_codes[o] - m_zeros[group + o]) * m_scales[group + o];
                }
                for (std::size_t o = 0; o < outputs; ++o)
                    std::memcpy(into
                                    + (o * static_cast<std::size_t>(range.inputs) + static_cast<std::size_t>(from))
                                          * sizeof(float),
                                m_values.data() + o * width, static_cast<std::size_t>(now) * sizeof(float));
            }
        }

        [[nodiscard]] std::int64_t groupOf(std::int64_t input) const
        {
            return m_map.groupOfInput ? wordAt(m_map.groupOfInput->bytes.data(), input) : input / m_map.groupInputs;
        }

        [[nodiscard]] float scaleAt(std::int64_t index) const
        {
            return factorAt(m_map.scales, static_cast<std::uint64_t>(index)) * m_map.factor;
        }

        void readGroups(std::int64_t row)
        {
            if (row == m_row)
                return;
            m_row = row;
            m_zeros.assign(static_cast<std::size_t>(m_map.groups), 0);
            if (m_map.zeros)
                m_map.zeros->read(row, 0, m_zeros);
            m_scales.resize(m_zeros.size());
            for (std::size_t group = 0; group < m_scales.size(); ++group)
                m_scales[group] = scaleAt(row * m_map.groups + static_cast<std::int64_t>(group));
        }

        void readTurnedGroups(const Range& range)
        {
            const auto outputs = static_cast<std::size_t>(range.outputs);
            m_zeros.assign(static_cast<std::size_t>(m_map.groups) * outputs, 0);
            m_scales.resize(m_zeros.size());
            for (std::int64_t group = 0; group < m_map.groups; ++group) {
                const std::size_t at = static_cast<std::size_t>(group) * outputs;
                if (m_map.zeros)
                    m_map.zeros->read(group, range.output, std::span(m_zeros).subspan(at, outputs));
                for (std::size_t o = 0; o < outputs; ++o)
                    m_scales[at + o] = scaleAt(group * m_map.outputs + range.output + static_cast<std::int64_t>(o));
            }
        }

        const GroupedMap& m_map;
        std::int64_t m_row = -1; ///< that the next two are of, unless the map is turned
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

void Codes::read(std::int64_t row, std::int64_t column, std::span<std::int32_t> into) const
{
    const std::span<const std::byte> bytes = stored.bytes;
    const auto from = [&](std::int64_t unit) { return bytes.subspan(static_cast<std::size_t>(unit)); };
    switch (layout) {
    case Layout::AlongRows: return readAlong(from(row * width * 4), column, bits, offset, into);
    case Layout::AlongColumns: return readAcross(bytes.data() + column * 4, row, width, bits, offset, into);
    case Layout::Interleaved:
        for (std::int32_t& number : into) {
            const std::uint32_t word = wordAt(bytes.data(), row * width + column / 8);
            number = static_cast<std::int32_t>(word >> (4 * kPlaces[column % 8]) & 15) + offset;
            ++column;
        }
        return;
    case Layout::Bytes:
        for (std::int32_t& number : into)
            number = std::int32_t{static_cast<std::int8_t>(bytes[static_cast<std::size_t>(row * width + column++)])}
                     + offset;
        return;
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
