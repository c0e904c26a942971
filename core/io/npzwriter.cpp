// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/npzwriter.h"

#include "core/base/writefile.h"
#include "core/io/npywriter.h"

#include <boost/crc.hpp>

#include <cstdint>
#include <limits>

namespace headscope::io {

namespace {

// ZIP's records as APPNOTE.TXT 6.3 has them: local file header, central directory, its end. All numbers are
// little-endian.
constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint16_t kVersion = 20, kStored = 0, kMidnight = 0, kFirstDay = 0x21; // 1 January 1980

void put16(std::string& to, std::uint16_t value)
{
    to += static_cast<char>(value & 0xFF);
    to += static_cast<char>(value >> 8);
}

void put32(std::string& to, std::uint32_t value)
{
    put16(to, static_cast<std::uint16_t>(value & 0xFFFF));
    put16(to, static_cast<std::uint16_t>(value >> 16));
}

struct Member {
    std::string name;
    std::uint32_t crc = 0, size = 0, offset = 0;
};

// What both records of a member say.
void putCommon(std::string& to, const Member& member)
{
    put16(to, kVersion);
    put16(to, 0); // flags
    put16(to, kStored);
    put16(to, kMidnight);
    put16(to, kFirstDay);
    put32(to, member.crc);
    put32(to, member.size);
    put32(to, member.size);
    put16(to, static_cast<std::uint16_t>(member.name.size()));
    put16(to, 0); // extra field
}

void putCentral(std::string& to, const Member& member)
{
    put32(to, kCentral);
    put16(to, kVersion);
    putCommon(to, member);
    put16(to, 0); // comment
    put16(to, 0); // disk
    put16(to, 0); // internal attributes
    put32(to, 0); // external attributes
    put32(to, member.offset);
    to += member.name;
}

} // namespace

Result<std::string> npzBytes(std::span<const NamedMatrix> arrays)
{
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    const Error tooMuch =
        inputError("An .npz file holds at most 4 GiB and 65,535 arrays; write fewer heads, or .safetensors.");
    if (arrays.size() >= std::numeric_limits<std::uint16_t>::max())
        return tooMuch;
    std::string bytes, directory;
    for (const NamedMatrix& array : arrays) {
        const std::string data = npyBytes(*array.matrix);
        if (bytes.size() + data.size() + directory.size() > kMost - (std::size_t{1} << 20))
            return tooMuch;
        boost::crc_32_type crc;
        crc.process_bytes(data.data(), data.size());
        const Member member{array.name + ".npy", crc.checksum(), static_cast<std::uint32_t>(data.size()),
                            static_cast<std::uint32_t>(bytes.size())};
        put32(bytes, kLocal);
        putCommon(bytes, member);
        bytes += member.name + data;
        putCentral(directory, member);
    }
    const auto begin = static_cast<std::uint32_t>(bytes.size()), length = static_cast<std::uint32_t>(directory.size());
    const auto count = static_cast<std::uint16_t>(arrays.size());
    bytes += directory;
    put32(bytes, kEnd);
    put16(bytes, 0); // this disk
    put16(bytes, 0); // the directory's disk
    put16(bytes, count);
    put16(bytes, count);
    put32(bytes, length);
    put32(bytes, begin);
    put16(bytes, 0); // comment
    return bytes;
}

Result<void> writeNpz(const std::string& path, std::span<const NamedMatrix> arrays)
{
    const auto bytes = npzBytes(arrays);
    return bytes.has_value() ? writeFile(path, *bytes) : Result<void>(bytes.error());
}

} // namespace headscope::io
