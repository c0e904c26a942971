// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pytorch/ziparchive.h"

#include "core/io/quote.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace headscope::io {

namespace {

constexpr std::uint64_t kLargestDirectory = 100'000'000; // bytes
constexpr std::uint64_t kEndSize = 22, kLongestComment = 65535, kEnd64Size = 56, kLocatorSize = 20;
constexpr std::uint64_t kEntrySize = 46, kLocalSize = 30;
constexpr std::uint32_t kNot32 = 0xffffffff; // the number stands in the Zip64 field

template <typename T> T number(std::string_view bytes, std::uint64_t at)
{
    T value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

/// Where the directory lies, as the end of the archive says.
struct Directory {
    std::uint64_t begin = 0, size = 0, entries = 0;
};

Error cutShort()
{
    return inputError("it is no whole zip file; it was cut short, or is no PyTorch file");
}

Result<std::string> bytesAt(const OpenFile& file, std::uint64_t at, std::uint64_t size)
{
    std::string bytes;
    if (at > file.size() || size > file.size() - at || size > kLargestDirectory)
        return cutShort();
    bytes.resize(static_cast<std::size_t>(size));
    return file.readAt(at, bytes.data(), bytes.size()) ? Result<std::string>(std::move(bytes))
                                                       : Result<std::string>(cutShort());
}

/// The Zip64 record that a locator right before the end names.
Result<Directory> findDirectory64(const OpenFile& file, std::uint64_t end)
{
    const auto locator = end >= kLocatorSize ? bytesAt(file, end - kLocatorSize, kLocatorSize) : cutShort();
    if (!locator.has_value() || !locator->starts_with("PK\x06\x07"))
        return cutShort();
    const auto record = bytesAt(file, number<std::uint64_t>(*locator, 8), kEnd64Size);
    if (!record.has_value() || !record->starts_with("PK\x06\x06"))
        return cutShort();
    return Directory{number<std::uint64_t>(*record, 48), number<std::uint64_t>(*record, 40),
                     number<std::uint64_t>(*record, 32)};
}

Result<Directory> findDirectory(const OpenFile& file)
{
    const std::uint64_t tail = std::min(file.size(), kEndSize + kLongestComment);
    const auto bytes = bytesAt(file, file.size() - tail, tail);
    if (!bytes.has_value())
        return bytes.error();
    const std::size_t at = bytes->rfind("PK\x05\x06");
    if (at == std::string::npos || bytes->size() - at < kEndSize)
        return cutShort();
    const Directory found{number<std::uint32_t>(*bytes, at + 16), number<std::uint32_t>(*bytes, at + 12),
                          number<std::uint16_t>(*bytes, at + 10)};
    if (number<std::uint16_t>(*bytes, at + 4) != 0)
        return inputError("it is one part of a zip file in several parts");
    if (found.begin == kNot32 || found.size == kNot32 || found.entries == 0xffff)
        return findDirectory64(file, file.size() - tail + at);
    return found;
}

/// What the directory says of one entry; sizes and place can stand in the Zip64 extra field, in this order.
struct Told {
    std::uint64_t plain = 0, packed = 0, local = 0;
};

Told withZip64(Told told, std::string_view extra)
{
    while (extra.size() >= 4) {
        const std::size_t size = number<std::uint16_t>(extra, 2);
        if (size > extra.size() - 4)
            break;
        if (number<std::uint16_t>(extra, 0) == 1) {
            std::string_view field = extra.substr(4, size);
            for (std::uint64_t* value : {&told.plain, &told.packed, &told.local})
                if (*value == kNot32 && field.size() >= 8) {
                    *value = number<std::uint64_t>(field, 0);
                    field.remove_prefix(8);
                }
        }
        extra.remove_prefix(4 + size);
    }
    return told;
}

/// Behind the entry's own header, whose name and extra field have lengths of their own.
Result<ZipEntry> placeOf(const OpenFile& file, const Told& told, const std::string& name)
{
    const auto local = bytesAt(file, told.local, kLocalSize);
    if (!local.has_value() || !local->starts_with("PK\x03\x04"))
        return inputError("its entry " + inQuotes(name) + " is not where its directory says");
    const std::uint64_t begin =
        told.local + kLocalSize + number<std::uint16_t>(*local, 26) + number<std::uint16_t>(*local, 28);
    if (begin > file.size() || told.plain > file.size() - begin)
        return inputError("its entry " + inQuotes(name) + " would end behind the file");
    return ZipEntry{begin, begin + told.plain};
}

} // namespace

Result<std::map<std::string, ZipEntry>> readZipDirectory(const OpenFile& file)
{
    const auto directory = findDirectory(file);
    if (!directory.has_value())
        return directory.error();
    const auto bytes = bytesAt(file, directory->begin, directory->size);
    if (!bytes.has_value())
        return bytes.error();
    std::map<std::string, ZipEntry> entries;
    std::string_view rest = *bytes;
    for (std::uint64_t i = 0; i < directory->entries; ++i) {
        if (rest.size() < kEntrySize || !rest.starts_with("PK\x01\x02"))
            return cutShort();
        const std::uint64_t nameSize = number<std::uint16_t>(rest, 28), extraSize = number<std::uint16_t>(rest, 30),
                            whole = kEntrySize + nameSize + extraSize + number<std::uint16_t>(rest, 32);
        if (rest.size() < whole)
            return cutShort();
        std::string name(rest.substr(kEntrySize, nameSize));
        const Told told = withZip64(
            {number<std::uint32_t>(rest, 24), number<std::uint32_t>(rest, 20), number<std::uint32_t>(rest, 42)},
            rest.substr(kEntrySize + nameSize, extraSize));
        if ((number<std::uint16_t>(rest, 8) & 1) != 0)
            return inputError("its entry " + inQuotes(name) + " is encrypted");
        if (number<std::uint16_t>(rest, 10) != 0 || told.packed != told.plain)
            return inputError("its entry " + inQuotes(name) + " is compressed; PyTorch stores tensors as they are");
        const auto place = placeOf(file, told, name);
        if (!place.has_value())
            return place.error();
        const auto [at, fresh] = entries.emplace(std::move(name), *place);
        if (!fresh)
            return inputError("it has the entry " + inQuotes(at->first) + " twice");
        rest.remove_prefix(whole);
    }
    return entries;
}

} // namespace headscope::io
