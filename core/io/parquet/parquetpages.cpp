// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/parquet/parquetpages.h"

#include "core/io/parquet/levels.h"
#include "core/io/parquet/thrift.h"

#include <snappy.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace headscope::io {

namespace {

using Bytes = std::span<const std::byte>;
using Type = ThriftReader::Type;

constexpr std::int64_t kLargestPage = std::int64_t{1} << 28; // bytes; writers make pages of one to some MB

enum Encoding { Plain = 0, PlainDictionary = 2, Rle = 3, RleDictionary = 8 };
constexpr std::array kEncodings = {
    "PLAIN",          "GROUP_VAR_INT",       "PLAIN_DICTIONARY",        "RLE",
    "BIT_PACKED",     "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
    "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"};
constexpr std::array kCodecs = {"nothing", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"};

template <std::size_t N> std::string nameIn(const std::array<const char*, N>& names, std::int64_t number)
{
    return number >= 0 && number < static_cast<std::int64_t>(N) ? names[static_cast<std::size_t>(number)]
                                                                : "number " + std::to_string(number);
}

Error damaged()
{
    return inputError("is damaged");
}

struct PageHeader {
    std::int64_t type = -1, unpacked = -1, packed = -1;
    std::int64_t values = -1, encoding = -1, presentEncoding = Rle, repeatedEncoding = Rle;
    std::int64_t presentBytes = 0, repeatedBytes = 0; ///< second version: before the values, never packed
    bool isPacked = true;
};

PageHeader readHeader(ThriftReader& in)
{
    PageHeader page;
    const auto into = [&in](std::initializer_list<std::pair<int, std::int64_t*>> places, bool* flag = nullptr) {
        const std::vector<std::pair<int, std::int64_t*>> wanted(places);
        in.structure([&in, wanted, flag](int id, Type type) {
            if (flag && id == 7 && (type == Type::True || type == Type::False)) {
                *flag = type == Type::True;
                return true; // a field's truth is in its head
            }
            for (const auto& [number, place] : wanted)
                if (number == id && type == Type::I32) {
                    *place = in.integer();
                    return true;
                }
            return false;
        });
    };
    in.structure([&](int id, Type type) {
        if (type == Type::I32 && id <= 3) {
            (id == 1 ? page.type : id == 2 ? page.unpacked : page.packed) = in.integer();
            return true;
        }
        if (type != Type::Struct || (id != 5 && id != 7 && id != 8))
            return false;
        if (id == 5)
            into({{1, &page.values}, {2, &page.encoding}, {3, &page.presentEncoding}, {4, &page.repeatedEncoding}});
        else if (id == 7)
            into({{1, &page.values}, {2, &page.encoding}});
        else
            into({{1, &page.values}, {4, &page.encoding}, {5, &page.presentBytes}, {6, &page.repeatedBytes}},
                 &page.isPacked);
        return true;
    });
    return page;
}

std::optional<std::vector<std::byte>> gunzipped(Bytes bytes, std::size_t size)
{
    constexpr std::size_t kMostOfAByte = 1100; // deflate makes no more out of one
    if (size > (bytes.size() + 1) * kMostOfAByte)
        return {};
    std::vector<std::byte> out(size);
    z_stream stream{};
    constexpr int kEitherHeader = 15 + 32;
    if (inflateInit2(&stream, kEitherHeader) != Z_OK)
        return {};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(size);
    const int status = inflate(&stream, Z_FINISH);
    const bool whole = status == Z_STREAM_END && stream.total_out == size;
    inflateEnd(&stream);
    return whole ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::vector<std::byte>> unsnapped(Bytes bytes, std::size_t size)
{
    constexpr std::size_t kMostOfAByte = 64; // a copy takes two bytes or more and makes at most 64
    const auto* packed = reinterpret_cast<const char*>(bytes.data());
    std::size_t says = 0;
    if (size > bytes.size() * kMostOfAByte || !snappy::GetUncompressedLength(packed, bytes.size(), &says)
        || says != size)
        return {};
    std::vector<std::byte> out(size);
    if (!snappy::RawUncompress(packed, bytes.size(), reinterpret_cast<char*>(out.data())))
        return {};
    return out;
}

Result<std::vector<std::byte>> unpacked(Bytes bytes, int codec, std::size_t size)
{
    std::optional<std::vector<std::byte>> out;
    if (codec == 0 && bytes.size() == size)
        out.emplace(bytes.begin(), bytes.end());
    else if (codec == 1)
        out = unsnapped(bytes, size);
    else if (codec == 2 && bytes.size() <= static_cast<std::size_t>(kLargestPage))
        out = gunzipped(bytes, size);
    else if (codec < 0 || codec > 2)
        return inputError("is packed with " + nameIn(kCodecs, codec) + ", which is not supported; SNAPPY and GZIP are");
    if (!out)
        return damaged();
    return std::move(*out);
}

template <typename Number> bool takeNumber(Bytes& bytes, Number& number)
{
    if (bytes.size() < sizeof number)
        return false;
    std::memcpy(&number, bytes.data(), sizeof number);
    bytes = bytes.subspan(sizeof number);
    return true;
}

// The next value that is stored as it is.
bool takePlain(Bytes& bytes, const ParquetLeaf& leaf, ParquetValue& value)
{
    std::int32_t small = 0;
    std::int64_t large = 0;
    float single = 0;
    double number = 0;
    std::uint32_t length = static_cast<std::uint32_t>(leaf.width);
    switch (leaf.type) {
    case ParquetType::Int32:
        if (!takeNumber(bytes, small))
            return false;
        value = std::int64_t{small};
        return true;
    case ParquetType::Int64:
        if (!takeNumber(bytes, large))
            return false;
        value = large;
        return true;
    case ParquetType::Float:
        if (!takeNumber(bytes, single))
            return false;
        value = double{single};
        return true;
    case ParquetType::Double:
        if (!takeNumber(bytes, number))
            return false;
        value = number;
        return true;
    case ParquetType::Bytes:
        if (!takeNumber(bytes, length))
            return false;
        [[fallthrough]];
    case ParquetType::FixedBytes:
        if (bytes.size() < length)
            return false;
        value = std::string(reinterpret_cast<const char*>(bytes.data()), length);
        bytes = bytes.subspan(length);
        return true;
    case ParquetType::Boolean:
    case ParquetType::Int96: break;
    }
    return false;
}

class ChunkReader
{
public:
    ChunkReader(const ParquetLeaf& leaf, const ParquetChunk& chunk, std::size_t most,
                const std::function<Result<void>(ParquetEntry&&)>& take)
        : m_leaf(leaf), m_chunk(chunk), m_most(most), m_take(take)
    {
    }

    Result<void> read(Bytes pages)
    {
        if (m_leaf.type == ParquetType::Int96)
            return inputError("has 96-bit timestamps, which are not supported");
        std::int64_t seen = 0;
        while (seen < m_chunk.values) {
            ThriftReader in(pages);
            const PageHeader page = readHeader(in);
            if (in.broken() || page.packed < 0 || page.unpacked < 0 || page.unpacked > kLargestPage
                || static_cast<std::uint64_t>(page.packed) > pages.size() - in.position())
                return damaged();
            const Bytes body = pages.subspan(in.position(), static_cast<std::size_t>(page.packed));
            pages = pages.subspan(in.position() + body.size());
            // Runs, packed bytes and entries without width make memory out of nothing: asked before it is taken.
            if (static_cast<std::size_t>(page.unpacked) > m_most
                || static_cast<std::uint64_t>(std::max<std::int64_t>(page.values, 0)) > m_most / sizeof(ParquetEntry))
                return inputError("has a page that would take more memory than a file of this size may");
            const bool data = page.type == 0 || page.type == 3;
            if (data && (page.values < 0 || page.values > m_chunk.values - seen))
                return damaged();
            const auto done = data             ? dataPage(page, body)
                              : page.type == 2 ? dictionaryPage(page, body)
                                               : Result<void>();
            if (!done.has_value())
                return done;
            seen += data ? page.values : 0;
        }
        return {};
    }

private:
    Result<void> dictionaryPage(const PageHeader& page, Bytes body)
    {
        const auto bytes = unpacked(body, m_chunk.codec, static_cast<std::size_t>(page.unpacked));
        if (!bytes.has_value())
            return bytes.error();
        if (page.encoding != Plain && page.encoding != PlainDictionary)
            return inputError("has a dictionary in the form " + nameIn(kEncodings, page.encoding)
                              + ", which is not supported");
        Bytes rest = *bytes;
        if (page.values < 0 || static_cast<std::uint64_t>(page.values) > rest.size())
            return damaged();
        m_dictionary.clear();
        for (std::int64_t i = 0; i < page.values; ++i)
            if (!takePlain(rest, m_leaf, m_dictionary.emplace_back()))
                return damaged();
        return {};
    }

    // Levels of the first version stand behind their own size; those of the second have it in the header.
    static std::optional<Bytes> levelBytes(Bytes& bytes, bool second, std::int64_t size)
    {
        std::uint32_t own = static_cast<std::uint32_t>(size);
        if ((!second && !takeNumber(bytes, own)) || own > bytes.size())
            return {};
        const Bytes taken = bytes.first(own);
        bytes = bytes.subspan(own);
        return taken;
    }

    Result<void> dataPage(const PageHeader& page, Bytes body)
    {
        const bool second = page.type == 3;
        const std::int64_t before = second ? page.presentBytes + page.repeatedBytes : 0;
        if (page.presentBytes < 0 || page.repeatedBytes < 0 || before > page.unpacked
            || static_cast<std::uint64_t>(before) > body.size())
            return damaged();
        if (!second && (page.presentEncoding != Rle || page.repeatedEncoding != Rle)
            && m_leaf.present + m_leaf.repeated > 0)
            return inputError("has levels in an unsupported format");
        const auto bytes =
            unpacked(body.subspan(static_cast<std::size_t>(before)), second && !page.isPacked ? 0 : m_chunk.codec,
                     static_cast<std::size_t>(page.unpacked - before));
        if (!bytes.has_value())
            return bytes.error();
        Bytes rest = *bytes;
        const auto count = static_cast<std::size_t>(page.values);
        const auto levels = [&](int most, std::int64_t size) -> std::optional<std::vector<std::uint32_t>> {
            if (most == 0)
                return std::vector<std::uint32_t>();
            const auto own = levelBytes(second ? body : rest, second, size);
            return own ? parquetLevels(*own, bitsFor(static_cast<std::uint32_t>(most)), count) : std::nullopt;
        };
        const auto repeated = levels(m_leaf.repeated, page.repeatedBytes);
        const auto present = levels(m_leaf.present, page.presentBytes);
        if (!repeated || !present)
            return damaged();
        std::size_t stored = 0;
        for (std::size_t i = 0; i < count; ++i)
            stored += m_leaf.present == 0 || (*present)[i] == static_cast<std::uint32_t>(m_leaf.present);
        if (const auto opened = openValues(page, rest, stored); !opened.has_value())
            return opened;
        return entries(count, *present, *repeated, rest);
    }

    // How the values of a page are stored: indices of the dictionary, bits, or as they are.
    Result<void> openValues(const PageHeader& page, Bytes& rest, std::size_t stored)
    {
        m_next = 0;
        m_numbers.reset();
        m_indexed = page.encoding == PlainDictionary || page.encoding == RleDictionary;
        const bool boolean = m_leaf.type == ParquetType::Boolean;
        if (m_indexed) {
            if (rest.empty() && stored > 0)
                return damaged();
            m_numbers = stored == 0 ? std::vector<std::uint32_t>()
                                    : parquetLevels(rest.subspan(1), std::to_integer<int>(rest.front()), stored);
        } else if (page.encoding == Rle && boolean) {
            const auto own = levelBytes(rest, false, 0);
            m_numbers = own ? parquetLevels(*own, 1, stored) : std::nullopt;
        } else if (page.encoding == Plain && boolean) {
            if (rest.size() * 8 < stored)
                return damaged();
            m_numbers.emplace();
            for (std::size_t i = 0; i < stored; ++i)
                m_numbers->push_back(std::to_integer<std::uint32_t>(rest[i / 8] >> (i % 8)) & 1);
        } else if (page.encoding == Plain) {
            return {};
        } else {
            return inputError("is stored as " + nameIn(kEncodings, page.encoding)
                              + ", which is not supported; PLAIN and RLE_DICTIONARY are");
        }
        return m_numbers ? Result<void>() : damaged();
    }

    bool nextValue(Bytes& rest, ParquetValue& value)
    {
        if (!m_numbers)
            return takePlain(rest, m_leaf, value);
        const std::uint32_t number = (*m_numbers)[m_next++];
        if (!m_indexed)
            value = number != 0;
        else if (number < m_dictionary.size())
            value = m_dictionary[number];
        else
            return false;
        return true;
    }

    Result<void> entries(std::size_t count, const std::vector<std::uint32_t>& present,
                         const std::vector<std::uint32_t>& repeated, Bytes rest)
    {
        for (std::size_t i = 0; i < count; ++i) {
            const int level = m_leaf.present == 0 ? 0 : static_cast<int>(present[i]);
            ParquetEntry entry;
            entry.newRow = m_leaf.repeated == 0 || repeated[i] == 0;
            entry.isElement = m_leaf.repeated == 0 || level >= m_leaf.element;
            if (level > m_leaf.present || (level == m_leaf.present && !nextValue(rest, entry.value)))
                return damaged();
            if (auto taken = m_take(std::move(entry)); !taken.has_value())
                return taken;
        }
        return {};
    }

    const ParquetLeaf& m_leaf;
    const ParquetChunk& m_chunk;
    std::size_t m_most;
    const std::function<Result<void>(ParquetEntry&&)>& m_take;
    std::vector<ParquetValue> m_dictionary;
    std::optional<std::vector<std::uint32_t>> m_numbers; ///< of the page: indices or bits; else values as they are
    std::size_t m_next = 0;
    bool m_indexed = false;
};

} // namespace

Result<void> readParquetChunk(Bytes file, const ParquetLeaf& leaf, const ParquetChunk& chunk, std::size_t most,
                              const std::function<Result<void>(ParquetEntry&&)>& take)
{
    return ChunkReader(leaf, chunk, most, take)
        .read(file.subspan(static_cast<std::size_t>(chunk.begin), static_cast<std::size_t>(chunk.size)));
}

} // namespace headscope::io
