// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/gguf/ggufheader.h"

#include "core/io/gguf/blocks.h"
#include "core/io/safetensors/lfspointer.h"
#include "core/io/textfiles/quote.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace headscope::io {

namespace {

constexpr std::uint64_t kMostTensors = 1'000'000, kMostKeys = 100'000, kMostItems = 4'000'000;
constexpr std::uint64_t kLongestText = 16'000'000; // a chat template, a token
constexpr std::uint32_t kArray = 9;

/// Takes values from the front; after the first failure all are zero.
class Cursor
{
public:
    explicit Cursor(std::span<const std::byte> file) : m_file(file) {}

    template <typename T> T take()
    {
        T value = 0;
        if (reserve(sizeof value)) {
            std::memcpy(&value, m_file.data() + m_at, sizeof value);
            m_at += sizeof value;
        }
        return value;
    }
    std::string text()
    {
        const auto size = take<std::uint64_t>();
        if (size > kLongestText)
            fail("a text of it would have " + std::to_string(size) + " bytes");
        if (m_error || !reserve(size))
            return {};
        std::string value(reinterpret_cast<const char*>(m_file.data()) + m_at, static_cast<std::size_t>(size));
        m_at += value.size();
        return value;
    }
    /// Whether so many bytes are left.
    bool reserve(std::uint64_t size)
    {
        if (!m_error && size > m_file.size() - m_at)
            fail("its header is cut short");
        return !m_error.has_value();
    }
    void fail(std::string why)
    {
        if (!m_error)
            m_error = inputError(std::move(why));
    }
    [[nodiscard]] std::size_t at() const { return m_at; }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    std::span<const std::byte> m_file;
    std::size_t m_at = 0;
    std::optional<Error> m_error;
};

std::int64_t takeInteger(Cursor& in, std::uint32_t type)
{
    switch (type) {
    case 0: return in.take<std::uint8_t>();
    case 1: return in.take<std::int8_t>();
    case 2: return in.take<std::uint16_t>();
    case 3: return in.take<std::int16_t>();
    case 4: return in.take<std::uint32_t>();
    case 5: return in.take<std::int32_t>();
    case 10:
        if (const auto value = in.take<std::uint64_t>(); value <= INT64_MAX)
            return static_cast<std::int64_t>(value);
        in.fail("it contains a number that does not fit in 63 bits");
        return 0;
    default: return in.take<std::int64_t>();
    }
}

double takeReal(Cursor& in, std::uint32_t type)
{
    return type == 6 ? static_cast<double>(in.take<float>()) : in.take<double>();
}

bool isInteger(std::uint32_t type)
{
    return type <= 5 || type == 10 || type == 11;
}

template <typename T, typename Take> std::vector<T> takeMany(Cursor& in, std::uint64_t count, Take take)
{
    std::vector<T> values; // grows with what is there, not with what is promised
    for (std::uint64_t i = 0; i < count && !in.error(); ++i)
        values.push_back(take());
    return values;
}

GgufValue takeArray(Cursor& in)
{
    const auto type = in.take<std::uint32_t>();
    const auto count = in.take<std::uint64_t>();
    if (count > kMostItems)
        in.fail("a list of it would have " + std::to_string(count) + " items");
    if (type == 8)
        return takeMany<std::string>(in, count, [&] { return in.text(); });
    if (type == 6 || type == 12)
        return takeMany<double>(in, count, [&] { return takeReal(in, type); });
    if (isInteger(type))
        return takeMany<std::int64_t>(in, count, [&] { return takeInteger(in, type); });
    if (type == 7)
        return takeMany<std::int64_t>(in, count, [&] { return std::int64_t{in.take<std::uint8_t>()}; });
    in.fail("it contains a list of values of type " + std::to_string(type) + ", which is not known");
    return std::int64_t{0};
}

GgufValue takeValue(Cursor& in)
{
    const auto type = in.take<std::uint32_t>();
    if (type == kArray)
        return takeArray(in);
    if (type == 7)
        return in.take<std::uint8_t>() != 0;
    if (type == 8)
        return in.text();
    if (type == 6 || type == 12)
        return takeReal(in, type);
    if (!isInteger(type))
        in.fail("it contains a value of type " + std::to_string(type) + ", which is not known");
    return takeInteger(in, type);
}

/// Name, shape and type; the place is an offset still.
GgufTensor takeTensor(Cursor& in)
{
    GgufTensor tensor;
    tensor.name = in.text();
    const std::string who = "its tensor " + inQuotes(tensor.name);
    const auto dimensions = in.take<std::uint32_t>();
    if (dimensions > 4)
        in.fail(who + " has " + std::to_string(dimensions) + " dimensions; at most 4 are possible");
    for (std::uint32_t i = 0; i < dimensions && !in.error(); ++i)
        tensor.shape.insert(tensor.shape.begin(), takeInteger(in, 10));
    const auto type = in.take<std::uint32_t>();
    if (const auto known = ggmlType(type); known)
        tensor.type = *known;
    else
        in.fail(who + " is stored as " + ggmlTypeName(type) + ", which is not supported; " + ggmlTypesRead() + " are");
    tensor.begin = in.take<std::uint64_t>();
    return tensor;
}

/// The sizes of a tensor against the file.
Result<void> place(GgufTensor& tensor, std::uint64_t dataStart, std::uint64_t fileSize, std::uint64_t alignment)
{
    const std::string who = "its tensor " + inQuotes(tensor.name);
    const auto bytes = ggmlBytes(tensor.type, tensor.shape);
    if (!bytes.has_value())
        return inputError(who + " " + bytes.error().message);
    if (tensor.begin % alignment != 0)
        return inputError(who + " is not aligned to " + std::to_string(alignment) + " bytes");
    if (tensor.begin > fileSize - dataStart || *bytes > fileSize - dataStart - tensor.begin)
        return inputError(who + " would end after the end of the file, which is truncated");
    tensor.begin += dataStart;
    tensor.end = tensor.begin + *bytes;
    return {};
}

Result<void> placeAll(GgufHeader& header, std::uint64_t headerSize, std::uint64_t fileSize)
{
    const std::int64_t alignment = header.integer("general.alignment").value_or(32);
    if (alignment < 1 || alignment > 65536)
        return inputError("its alignment is " + std::to_string(alignment) + "; expected 1 to 65536");
    const auto step = static_cast<std::uint64_t>(alignment);
    const std::uint64_t dataStart = std::min((headerSize + step - 1) / step * step, fileSize);
    std::set<std::string_view> names;
    for (GgufTensor& tensor : header.tensors) {
        if (!names.insert(tensor.name).second)
            return inputError("it has the tensor " + inQuotes(tensor.name) + " twice");
        if (auto placed = place(tensor, dataStart, fileSize, step); !placed.has_value())
            return placed;
    }
    return {};
}

template <typename T>
const T* valueOf(const std::map<std::string, GgufValue, std::less<>>& metadata, std::string_view key)
{
    const auto found = metadata.find(key);
    return found == metadata.end() ? nullptr : std::get_if<T>(&found->second);
}

template <typename T> std::optional<T> copyOf(const T* value)
{
    return value ? std::optional<T>(*value) : std::nullopt;
}

} // namespace

std::optional<std::int64_t> GgufHeader::integer(std::string_view key) const
{
    return copyOf(valueOf<std::int64_t>(metadata, key));
}

std::optional<std::int64_t> GgufHeader::inAllLayers(std::string_view key) const
{
    const auto* list = integers(key);
    const bool same = list && !list->empty() && std::ranges::count(*list, list->front()) == std::ssize(*list);
    return same ? std::optional(list->front()) : integer(key);
}

std::optional<std::int64_t> GgufHeader::inSomeLayers(std::string_view key) const
{
    const auto* list = integers(key);
    const auto first = list ? std::ranges::find_if(*list, [](std::int64_t number) { return number != 0; })
                            : std::vector<std::int64_t>::const_iterator();
    if (!list || first == list->end())
        return inAllLayers(key);
    const bool same = std::ranges::all_of(*list, [&](std::int64_t number) { return number == 0 || number == *first; });
    return same ? std::optional(*first) : std::nullopt;
}

std::optional<double> GgufHeader::number(std::string_view key) const
{
    if (const auto whole = integer(key))
        return static_cast<double>(*whole);
    return copyOf(valueOf<double>(metadata, key));
}

std::optional<bool> GgufHeader::flag(std::string_view key) const
{
    return copyOf(valueOf<bool>(metadata, key));
}

const std::string* GgufHeader::text(std::string_view key) const
{
    return valueOf<std::string>(metadata, key);
}

const std::vector<std::string>* GgufHeader::texts(std::string_view key) const
{
    return valueOf<std::vector<std::string>>(metadata, key);
}

const std::vector<std::int64_t>* GgufHeader::integers(std::string_view key) const
{
    return valueOf<std::vector<std::int64_t>>(metadata, key);
}

const std::vector<double>* GgufHeader::numbers(std::string_view key) const
{
    return valueOf<std::vector<double>>(metadata, key);
}

const GgufTensor* GgufHeader::find(std::string_view tensor) const
{
    const auto found =
        std::find_if(tensors.begin(), tensors.end(), [&](const GgufTensor& one) { return one.name == tensor; });
    return found == tensors.end() ? nullptr : &*found;
}

Result<GgufHeader> parseGgufHeader(std::span<const std::byte> file)
{
    if (isLfsPointer({reinterpret_cast<const char*>(file.data()), std::min<std::size_t>(file.size(), 64)}))
        return inputError("it is a Git LFS pointer, not weights; fetch the real file with 'git lfs pull'");
    if (file.size() < 4 || std::memcmp(file.data(), "GGUF", 4) != 0)
        return inputError("it does not begin as a GGUF file does");
    Cursor in(file.subspan(4));
    if (const auto version = in.take<std::uint32_t>(); !in.error() && version != 2 && version != 3)
        return inputError("it is a GGUF file of version " + std::to_string(version)
                          + (version > 3 ? ", or a big-endian one" : "") + "; expected version 2 or 3");
    const auto tensors = in.take<std::uint64_t>(), keys = in.take<std::uint64_t>();
    if (tensors > kMostTensors || keys > kMostKeys)
        return inputError("its header promises " + std::to_string(tensors) + " tensors and " + std::to_string(keys)
                          + " values, more than any model has");
    GgufHeader header;
    for (std::uint64_t i = 0; i < keys && !in.error(); ++i) {
        std::string key = in.text();
        const auto [at, fresh] = header.metadata.emplace(std::move(key), takeValue(in));
        if (!fresh)
            in.fail("its header has the key " + inQuotes(at->first) + " twice");
    }
    for (std::uint64_t i = 0; i < tensors && !in.error(); ++i)
        header.tensors.push_back(takeTensor(in));
    if (in.error())
        return *in.error();
    if (auto placed = placeAll(header, 4 + in.at(), file.size()); !placed.has_value())
        return placed.error();
    return header;
}

} // namespace headscope::io
